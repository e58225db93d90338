/**
 * A task token names its attempt; the nonce makes it unguessable. The token is recorded with the
 * attempt, and only the recorded text is accepted.
 */
export type TokenParts = { executionId: number; threadId: number; attemptId: number };

export function formatToken(
  { executionId, threadId, attemptId }: TokenParts,
  nonce: string,
): string {
  return Buffer.from(`${executionId}.${threadId}.${attemptId}.${nonce}`).toString('base64url');
}

/** Undefined for a text that is no token of this engine. */
export function parseToken(token: string): TokenParts | undefined {
  const match = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})\.[\w-]+$/.exec(
    Buffer.from(token, 'base64url').toString(),
  );
  if (!match) return undefined;
  return { executionId: Number(match[1]), threadId: Number(match[2]), attemptId: Number(match[3]) };
}

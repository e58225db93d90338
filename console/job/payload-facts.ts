import { isRecord } from '../graph/definition.ts';

/** Length in bytes and hash of a payload; undefined where nobody said it, or nobody came to know it. */
export type Bytes = {
  readonly length: number | bigint | undefined;
  readonly sha256: string | undefined;
};

/** What the client promised of its payload beside what was read of it. */
export type PayloadFacts = {
  readonly promised: Bytes;
  readonly read: Bytes;
  /** What became of it, and whether that is good; undefined: not validated yet. */
  readonly verdict: { readonly isGood: boolean; readonly text: string } | undefined;
};

type Refusal = { readonly code: string; readonly message: string };

const refusals: Readonly<Record<string, string>> = {
  PAYLOAD_NOT_FOUND: 'is not there',
  PAYLOAD_ACCESS_DENIED: 'may not be read',
  PAYLOAD_CHECKSUM_MISMATCH: 'is not what was promised',
  PAYLOAD_CHANGED: 'was replaced after it was validated',
  PAYLOAD_TOO_LARGE: 'is too large',
};

/**
 * Pure: `payloadRef`, `payloadPin` and the failure of a job, side by side. Of a payload that was refused no pin is kept:
 * what was read of it stands in the failure's message alone, as jobs/payload.ts writes it.
 */
export function payloadFacts(
  reference: unknown,
  pin: unknown,
  failure: Refusal | null,
): PayloadFacts {
  const promised = bytesOf(reference, 'size');
  const pinned = isRecord(pin) ? bytesOf(pin, 'bytes') : undefined;
  const refusal = failure === null ? undefined : refusals[failure.code];
  if (failure === null || refusal === undefined) {
    return {
      promised,
      read: pinned ?? nothingKnown,
      verdict: pinned && { isGood: true, text: 'is what was promised' },
    };
  }
  return {
    promised,
    read: readOf(failure, promised, pinned),
    verdict: { isGood: false, text: refusal },
  };
}

const nothingKnown: Bytes = { length: undefined, sha256: undefined };

function readOf({ code, message }: Refusal, promised: Bytes, pinned: Bytes | undefined): Bytes {
  const length = /\b(?:size|payload) is (\d+) bytes/.exec(message)?.[1];
  const told: Bytes = {
    length: length === undefined ? undefined : Number(length),
    sha256: /\bsha256 is ([0-9a-f]{64})/.exec(message)?.[1],
  };
  if (code !== 'PAYLOAD_CHECKSUM_MISMATCH') {
    // A later state may refuse it too, for what it found in the bytes that were validated.
    return code === 'PAYLOAD_TOO_LARGE' && length === undefined ? (pinned ?? nothingKnown) : told;
  }
  // The message names what differs, and that alone.
  return { length: told.length ?? promised.length, sha256: told.sha256 ?? promised.sha256 };
}

function bytesOf(value: unknown, lengthName: 'size' | 'bytes'): Bytes {
  const { sha256, [lengthName]: length } = isRecord(value) ? value : {};
  return {
    length: typeof length === 'number' || typeof length === 'bigint' ? length : undefined,
    sha256: typeof sha256 === 'string' ? sha256 : undefined,
  };
}

import type { FastifyInstance } from 'fastify';
import { parseExactJson } from '../jobs/exact-json.ts';
import { Problem } from './problems.ts';

/** Takes application/json only (RFC 8259: UTF-8), and only documents that come back as they went in. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => readJson(body),
  );
}

function readJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const parsed = parse(body);
  if (parsed.ok) return parsed.value;
  throw new Problem('unstorable-value', { errors: [...parsed.problems] });
}

function parse(body: Buffer) {
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    // TypeError: not UTF-8. SyntaxError's message quotes the body; it goes to its sender only, cut short.
    const detail = error instanceof Error ? error.message.slice(0, 200) : String(error);
    throw new Problem('invalid-json', { detail });
  }
}

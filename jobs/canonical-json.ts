import { hash } from 'node:crypto';

/**
 * The same text for the same JSON value, whatever the order of its keys and its white space: keys are sorted by
 * UTF-16 code units, as in RFC 8785. Takes what JSON.parse gives.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, in hex: equal requests have equal hashes. */
export const canonicalHash = (value: unknown): string =>
  hash('sha256', canonicalJson(value), 'hex');

import { damaged } from './document-facts.ts';

export type DocumentKind = 'pdf' | 'image' | 'csv' | 'json' | 'text' | 'unknown';

export type DetectedKind = { readonly kind: DocumentKind; readonly contentType: string };

/** So much of the beginning is looked at. */
export const headBytes = 4096;

/** Longer than any registered media type (RFC 6838 allows 127 for each half). */
const maxTypeLength = 255;

const latin = (head: Buffer): string => head.toString('latin1');

const signatures: readonly (readonly [contentType: string, test: (head: string) => boolean])[] = [
  // The specification allows bytes before the header (PDF 32000-1:2008, annex H.3.4.1).
  ['application/pdf', (head) => head.slice(0, 1024).includes('%PDF-')],
  ['image/jpeg', (head) => head.startsWith('\u00ff\u00d8\u00ff')],
  ['image/png', (head) => head.startsWith('\u0089PNG\r\n\u001a\n')],
  ['image/gif', (head) => /^GIF8[79]a/.test(head)],
  ['image/webp', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
  ['image/tiff', (head) => head.startsWith('II*\u0000') || head.startsWith('MM\u0000*')],
  ['image/avif', (head) => head.slice(4, 8) === 'ftyp' && head.slice(8, 32).includes('avi')],
];

const csvTypes = new Set(['text/csv', 'application/csv', 'text/tab-separated-values']);
/** Says nothing about what it is. */
const vague = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * What a document is: by its first bytes, and where they do not tell, by what the uploader called it.
 * Throws DOCUMENT_DAMAGED where the bytes cannot be what the type says.
 */
export function detectKind(head: Buffer, declared: string | null): DetectedKind {
  const [essence = ''] = (declared ?? '').toLowerCase().split(';');
  const type = essence.trim().slice(0, maxTypeLength);
  const start = latin(head);
  const signature = signatures.find(([, test]) => test(start));
  if (signature !== undefined) {
    const [contentType] = signature;
    return { kind: contentType === 'application/pdf' ? 'pdf' : 'image', contentType };
  }
  const promised = signatures.find(([contentType]) => contentType === type);
  if (promised !== undefined) throw damaged(`it is called ${type}, but does not begin like one`);
  const textual = isTextual(head);
  const kind = textualKind(type, head, textual);
  if (kind === undefined)
    return { kind: 'unknown', contentType: type || 'application/octet-stream' };
  if (!textual) throw damaged(`it is called ${type}, but holds bytes that no text has`);
  return { kind, contentType: vague.has(type) ? defaultTypes[kind] : type };
}

const defaultTypes = { csv: 'text/csv', json: 'application/json', text: 'text/plain' } as const;

type TextualKind = keyof typeof defaultTypes;

function textualKind(type: string, head: Buffer, textual: boolean): TextualKind | undefined {
  if (csvTypes.has(type)) return 'csv';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type.startsWith('text/') || type === 'application/xml' || type === 'application/x-ndjson') {
    return 'text';
  }
  if (!vague.has(type) || !textual || head.length === 0) return undefined;
  const start = head.toString('utf8').trimStart();
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  return looksTabular(start) ? 'csv' : 'text';
}

/** No control characters but white space; UTF-16 only with its byte order mark. */
function isTextual(head: Buffer): boolean {
  if (hasUtf16Mark(head)) return true;
  return !head.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
}

export const hasUtf16Mark = (head: Buffer): boolean =>
  (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);

export const delimiters = [',', ';', '\t', '|'] as const;

/** At least two lines, each with as many delimiters as the first. The last line may be cut and does not count. */
function looksTabular(start: string): boolean {
  const lines = start
    .replaceAll(/"[^"]*"/g, '""')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  const whole = lines.length > 2 ? lines.slice(0, -1).slice(0, 10) : lines;
  return (
    whole.length > 1 &&
    delimiters.some((delimiter) => {
      const counts = whole.map((line) => line.split(delimiter).length);
      return (counts[0] ?? 0) > 1 && counts.every((count) => count === counts[0]);
    })
  );
}

import { deflateSync } from 'node:zlib';

export type PdfParts = {
  /** One string a page; lines are separated by newlines. */
  readonly pages: readonly string[];
  readonly title?: string;
  readonly author?: string;
  /** What /Count says, where it is not the number of pages. */
  readonly count?: number;
  /** The content stream of every page, already deflated, in place of its text. */
  readonly deflatedContent?: Buffer;
  /** More entries of the trailer, such as /Encrypt. */
  readonly trailer?: string;
  /** More objects, numbered from 1000. */
  readonly objects?: readonly string[];
};

/** A PDF 1.4 file: pages of text in Helvetica (ISO 32000-1:2008, section 7.5). */
export function buildPdf(parts: PdfParts): Buffer {
  const objects = new Map<number, Buffer>();
  const put = (number: number, body: string | Buffer): number => {
    objects.set(number, Buffer.from(body));
    return number;
  };
  const pageNumbers = parts.pages.map((_, index) => 10 + 2 * index);
  put(1, '<< /Type /Catalog /Pages 2 0 R >>');
  put(
    2,
    `<< /Type /Pages /Kids [${pageNumbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${parts.count ?? pageNumbers.length} >>`,
  );
  put(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  put(4, `<< ${infoEntries(parts)} /Producer (Pawl samples) >>`);
  for (const [index, text] of parts.pages.entries()) {
    const content = 11 + 2 * index;
    put(
      10 + 2 * index,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`,
    );
    put(content, stream(parts.deflatedContent ?? deflateSync(showText(text))));
  }
  for (const [index, body] of (parts.objects ?? []).entries()) put(1000 + index, body);
  return assemble(objects, parts.trailer ?? '');
}

const infoEntries = ({ title, author }: PdfParts): string =>
  [
    title === undefined ? '' : `/Title ${literal(title)}`,
    author === undefined ? '' : `/Author ${literal(author)}`,
  ].join(' ');

const literal = (text: string): string => `(${text.replaceAll(/[\\()]/g, String.raw`\$&`)})`;

const showText = (text: string): string =>
  `BT /F1 12 Tf 14 TL 72 770 Td\n${text
    .split('\n')
    .map((line) => `${literal(line)} Tj T*`)
    .join('\n')}\nET`;

const stream = (deflated: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${deflated.length} /Filter /FlateDecode >>\nstream\n`),
    deflated,
    Buffer.from('\nendstream'),
  ]);

function assemble(objects: ReadonlyMap<number, Buffer>, trailer: string): Buffer {
  const chunks = [Buffer.from('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')];
  let at = chunks[0]?.length ?? 0;
  const entries: string[] = [];
  for (const [number, body] of objects) {
    const chunk = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      body,
      Buffer.from('\nendobj\n'),
    ]);
    entries.push(`${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`);
    chunks.push(chunk);
    at += chunk.length;
  }
  const size = Math.max(...objects.keys()) + 1;
  chunks.push(
    Buffer.from(
      `xref\n0 1\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(chunks);
}

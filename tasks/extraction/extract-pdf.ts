import { getDocumentProxy } from 'unpdf';
import { storableText } from '../../jobs/failure.ts';
import { damaged, DocumentError, limits, tooComplex } from './document-facts.ts';
import { LanguageSample } from './language.ts';
import { WordCount } from './word-count.ts';

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** `{pages, title, author, words, language}` of a PDF; what it does not say is null. */
export async function extractPdf(bytes: Buffer): Promise<Record<string, unknown>> {
  refuseTruncated(bytes);
  const document = await open(bytes);
  try {
    const pages = document.numPages;
    if (pages > limits.pdfPages)
      throw tooComplex(`it has ${pages} pages, more than ${limits.pdfPages}`);
    const { title, author } = await describe(document);
    const { words, language } = await readText(document, pages);
    return { pages, title, author, words, language };
  } catch (error) {
    throw error instanceof DocumentError
      ? error
      : damaged(`it cannot be read: ${nameOf(error)}`, error);
  } finally {
    await document.loadingTask.destroy();
  }
}

/** The end-of-file mark stands in the last 1,024 bytes (PDF 32000-1:2008, annex H.3.4.4); readers repair too much. */
function refuseTruncated(bytes: Buffer): void {
  if (!bytes.subarray(-1024).includes('%%EOF')) {
    throw damaged('it ends without an end-of-file mark: it is truncated');
  }
}

async function open(bytes: Buffer): Promise<Document> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      useSystemFonts: false,
      disableFontFace: true,
      verbosity: 0,
    });
  } catch (error) {
    if (nameOf(error) === 'PasswordException') {
      throw new DocumentError(
        'DOCUMENT_ENCRYPTED',
        'it is encrypted: upload it without a password',
      );
    }
    throw damaged(`it cannot be opened: ${nameOf(error)}`, error);
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown error');

async function describe(
  document: Document,
): Promise<{ title: string | null; author: string | null }> {
  const { info, metadata } = await document.getMetadata();
  const xmp = (name: string): unknown => (metadata === null ? undefined : metadata.get(name));
  const fields = new Map<string, unknown>(Object.entries(info));
  return {
    title: line(fields.get('Title')) ?? line(xmp('dc:title')),
    author: line(fields.get('Author')) ?? line(xmp('dc:creator')),
  };
}

function line(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(', ') : value;
  if (typeof text !== 'string' || text.trim() === '') return null;
  return storableText(text.trim(), 512);
}

async function readText(
  document: Document,
  pages: number,
): Promise<{ words: number; language: string | null }> {
  const count = new WordCount();
  const sample = new LanguageSample();
  for (let number = 1; number <= pages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    for (const item of items) {
      if (!('str' in item)) continue;
      // A line's end, and the end of a page, separate words; runs within a line may be one word.
      const piece = item.hasEOL ? `${item.str}\n` : item.str;
      count.add(piece);
      sample.add(piece);
    }
    count.add('\n');
    page.cleanup();
  }
  return { words: count.words, language: sample.language() };
}

import readExif from 'exif-reader';
import sharp from 'sharp';
import { storableText } from '../../jobs/failure.ts';
import { damaged, limits, tooComplex } from './document-facts.ts';

// One image at a time in a process of its own: libvips' own cache and threads only cost memory here.
sharp.cache(false);
sharp.concurrency(1);

/** `{width, height, format, exif}` of an image; every pixel is decoded once, so that a truncated one is found. */
export async function extractImage(bytes: Buffer): Promise<Record<string, unknown>> {
  const image = sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'truncated' });
  try {
    const { width, height, format, compression, exif } = await image.metadata();
    if (width * height > limits.pixels) throw tooManyPixels(width, height);
    // Shrunk to a point while it is decoded row by row: every byte is read, and no picture is in memory.
    await image.resize(1, 1, { fit: 'fill' }).raw().toBuffer();
    return {
      width,
      height,
      format: compression === 'av1' ? 'avif' : format,
      exif: exif === undefined ? null : exifFacts(exif),
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'DocumentError') throw error;
    if (/pixel limit/i.test(String(error))) throw tooManyPixels();
    throw damaged(`it cannot be decoded: ${firstLine(error)}`, error);
  }
}

const tooManyPixels = (width?: number, height?: number) =>
  tooComplex(
    `${width === undefined ? 'it has' : `it has ${width} × ${height} pixels,`} more than ${limits.pixels} pixels`,
  );

const firstLine = (error: unknown): string =>
  storableText(String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '', 200);

const maxEntries = 40;

/** The plain values of EXIF by name, sections flattened; binary and long ones are left out, a damaged block is null. */
function exifFacts(exif: Buffer): Record<string, string | number> | null {
  let sections: ReturnType<typeof readExif>;
  try {
    sections = readExif(exif);
  } catch {
    return null; // the picture itself is fine
  }
  const entries = Object.values(sections)
    .filter((section) => typeof section === 'object' && section !== null)
    .flatMap((section) => Object.entries(section))
    .flatMap(([name, value]): [string, string | number][] => {
      const plain = plainValue(value);
      return plain === undefined ? [] : [[storableText(name, 64), plain]];
    });
  return Object.fromEntries(entries.slice(0, maxEntries));
}

function plainValue(value: unknown): string | number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string') return storableText(value, 64);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value) && value.length <= 4) return storableText(value.join(', '), 64);
  return undefined;
}

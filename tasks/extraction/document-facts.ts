import type { FailureCode } from '../../jobs/failure-codes.ts';

/** What is found out about a document; `metadata` is JSON of a few KiB, its fields by kind. */
export type DocumentFacts = {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** What is known before it is read: `bytes` exactly, the type as the uploader said it. */
export type DocumentHints = {
  readonly bytes: number;
  readonly contentType: string | null;
};

export type DocumentFailureCode = Extract<FailureCode, `DOCUMENT_${string}`>;

/** Why a document cannot be read; a code of jobs/failure-codes.ts. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code: DocumentFailureCode;

  constructor(code: DocumentFailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

export const damaged = (message: string, cause?: unknown): DocumentError =>
  new DocumentError('DOCUMENT_DAMAGED', message, { cause });

export const tooComplex = (message: string, cause?: unknown): DocumentError =>
  new DocumentError('DOCUMENT_TOO_COMPLEX', message, { cause });

/** The limits of reading, for every kind; past them is DOCUMENT_TOO_COMPLEX. */
export const limits = {
  /** A kind that has to be in memory as a whole (PDF, image). */
  wholeBytes: 64 * 1024 ** 2,
  jsonBytes: 16 * 1024 ** 2,
  jsonDepth: 500,
  pdfPages: 10_000,
  pixels: 100_000_000,
  csvRecordBytes: 1024 ** 2,
  /** So many columns are named in the metadata; rows may have more. */
  csvColumnsNamed: 100,
} as const;

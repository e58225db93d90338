import { Terminal } from '../jobs/failure.ts';
import { openPinnedPayload } from '../jobs/payload.ts';
import { parsePayloadPin } from '../jobs/payload-reference.ts';
import { storeDocument } from '../jobs/store/documents.ts';
import { inputSchema } from '../statemachines/document-metadata/job-type.ts';
import { createReaderPool } from './extraction/reader-pool.ts';
import { defineTask } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);
/** Kept between invocations, as connections are; no child is started before the first document. */
const readers = createReaderPool();

/**
 * Reads the pinned payload, extracts its metadata and stores them as this version of the document.
 * A newer version is left alone (`superseded`); the same version with other bytes is VERSION_CONFLICT.
 */
export const handler = defineTask('extract-metadata', async ({ job, fence, sql, s3, log }) => {
  const { documentId, version } = inputOf(job);
  const pin = parsePayloadPin(job.payloadPin);
  const { sha256, bytes } = pin;
  const { contentType, metadata } = await readers.read(() => openPinnedPayload(s3, pin), {
    bytes,
    contentType: pin.contentType,
  });
  const document = { documentId, version, sha256, contentType, bytes, metadata };
  const stored = await storeDocument(sql, fence, document);
  if (stored === undefined) {
    throw new Terminal('JOB_NOT_RUNNABLE', 'the job moved on while its document was read');
  }
  if (stored.version === version && stored.sha256 !== sha256) {
    throw new Terminal(
      'VERSION_CONFLICT',
      `version ${version} of document ${documentId} is stored with sha256 ${stored.sha256}; this payload has ${sha256}`,
    );
  }
  const superseded = stored.version > version;
  if (superseded) log.info({ stored: stored.version, version }, 'a newer version is stored');
  const result = { contentType, bytes, sha256, metadata, ...(superseded ? { superseded } : {}) };
  return { superseded, indexedAt: stored.indexedAt, result };
});

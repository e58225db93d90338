import { Terminal } from '../jobs/failure.ts';
import { openPinnedPayload } from '../jobs/payload.ts';
import { jobPrefixOf } from '../jobs/payload-key.ts';
import { parsePayloadPin } from '../jobs/payload-reference.ts';
import { storeImportPlan } from '../jobs/store/imports.ts';
import { writeLines } from '../jobs/write-object.ts';
import { inputSchema } from '../statemachines/batch-import/job-type.ts';
import { type Chunk, planChunks } from './import/plan-chunks.ts';
import { defineTask } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);

/**
 * Streams the pinned payload once and writes where its chunks are, one JSON object a line, for the Map's ItemReader.
 * Throws Terminal IMPORT_UNREADABLE, PAYLOAD_TOO_LARGE, PAYLOAD_CHANGED.
 */
export const handler = defineTask('plan-import', async ({ job, fence, sql, s3, config }) => {
  const { keyField } = inputOf(job);
  const pin = parsePayloadPin(job.payloadPin);
  const { format, rows, chunks } = await planChunks(
    await openPinnedPayload(s3, pin),
    pin.contentType,
  );
  const { records, columns } = format;
  if (columns?.includes(keyField) === false) throw keyFieldMissing(keyField, columns);
  const { bucket, key } = await writeLines(
    s3,
    {
      bucket: config.payloadBucket,
      key: `${jobPrefixOf(job)}${fence.executionName}/chunks.jsonl`,
      contentType: 'application/x-ndjson',
    },
    linesOf(chunks),
  );
  const delimiter = records.kind === 'csv' ? records.delimiter : null;
  const plan = { delimiter, columns, rows, chunks: chunks.length };
  if (!(await storeImportPlan(sql, fence, plan))) {
    throw new Terminal('JOB_NOT_RUNNABLE', 'the job moved on while its import was planned');
  }
  return { bucket, key, chunks: chunks.length };
});

async function* linesOf(chunks: readonly Chunk[]): AsyncGenerator<string> {
  for (const chunk of chunks) yield JSON.stringify(chunk);
}

const keyFieldMissing = (keyField: string, columns: readonly string[]): Terminal =>
  new Terminal(
    'IMPORT_UNREADABLE',
    `the payload cannot be imported: keyField is ${JSON.stringify(keyField)}, its columns are ${columns.map((name) => JSON.stringify(name)).join(', ')}`,
  );

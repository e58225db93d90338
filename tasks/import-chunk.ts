import { type Static, Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { readPinnedRange } from '../jobs/payload.ts';
import { parsePayloadPin } from '../jobs/payload-reference.ts';
import {
  findImportPlan,
  type ImportedRow,
  showImportProgress,
  storeImportedChunk,
} from '../jobs/store/imports.ts';
import { inputSchema } from '../statemachines/batch-import/job-type.ts';
import { maxRowBytes } from './import/plan-chunks.ts';
import { type ChunkRows, readRows } from './import/read-rows.ts';
import { defineChildTask } from './runtime/define-child-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);

const chunkShape = Type.Object({
  chunk: Type.Integer({ minimum: 0 }),
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 1 }),
  line: Type.Integer({ minimum: 1 }),
  rows: Type.Integer({ minimum: 1 }),
  tooLong: Type.Boolean(),
});

/** Reads one chunk of the pinned payload and stores its good rows with its counts. Bad rows never fail it. */
export const handler = defineChildTask(
  'import-chunk',
  async ({ job, fence, sql, s3 }, { chunk }) => {
    const { dataset, keyField } = inputOf(job);
    const plan = await findImportPlan(sql, fence);
    if (plan === undefined) throw new Terminal('TASK_FAULT', 'this execution has stored no plan');
    const { delimiter, columns } = plan;
    const records =
      delimiter === null ? { kind: 'ndjson' as const } : { kind: 'csv' as const, delimiter };
    const { rows, problems }: ChunkRows = chunk.tooLong
      ? { rows: [], problems: [tooLong(chunk)] }
      : readRows(await readPinnedRange(s3, parsePayloadPin(job.payloadPin), chunk), chunk.line, {
          records,
          columns,
          keyField,
        });
    if (rows.length + problems.length !== chunk.rows) {
      const found = `${rows.length + problems.length} rows, planned were ${chunk.rows}`;
      throw new Terminal('TASK_FAULT', `chunk ${chunk.chunk} has ${found}`);
    }
    const stored = await storeImportedChunk(sql, fence, {
      dataset,
      chunk: chunk.chunk,
      rows: lastOfEachKey(rows),
      imported: rows.length,
      problems,
    });
    if (!stored) throw new Terminal('JOB_NOT_RUNNABLE', 'the job moved on while a chunk was read');
    await showImportProgress(sql, fence);
    return {};
  },
  Type.Object({ chunk: chunkShape }),
);

const tooLong = ({ line, start, end }: Static<typeof chunkShape>) => ({
  line,
  code: 'ROW_TOO_LONG' as const,
  message: `it has ${end - start} bytes; a row has at most ${maxRowBytes}. In a CSV a quote that is never closed makes one row of all that follows`,
});

/** One statement cannot write a row twice. */
const lastOfEachKey = (rows: readonly ImportedRow[]): ImportedRow[] => [
  ...new Map(rows.map((row) => [row.key, row])).values(),
];

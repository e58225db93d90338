import type { Sql } from './connect.ts';
import type { Fence } from './open-run.ts';

/** What batch-import makes of a payload before it reads its rows. */
export type ImportPlan = {
  readonly delimiter: string | null;
  /** Of a CSV, from its header; null for NDJSON. */
  readonly columns: readonly string[] | null;
  readonly rows: number;
  readonly chunks: number;
};

export type ImportedRow = {
  readonly key: string;
  readonly line: number;
  readonly data: Readonly<Record<string, unknown>>;
};

export type RowProblemCode =
  | 'ROW_TOO_LONG'
  | 'NOT_UTF8'
  | 'QUOTES'
  | 'COLUMN_COUNT'
  | 'NOT_JSON'
  | 'NOT_AN_OBJECT'
  | 'NOT_STORABLE'
  | 'KEY_MISSING'
  | 'KEY_TOO_LONG';

/** Why the row that begins on `line` was not imported. The text of the row is not in it. */
export type RowProblem = {
  readonly line: number;
  readonly code: RowProblemCode;
  readonly message: string;
};

/** A child of the Map: its parent's execution. Its input, and so the redrive count in it, is that of its first start. */
export type ChildFence = Pick<Fence, 'jobId' | 'executionName'>;

export type ImportCounts = {
  readonly chunks: number;
  readonly total: number;
  readonly imported: number;
  readonly failed: number;
};

/**
 * Keeps the plan of this execution, forgets the chunks of earlier ones and shows how many rows there are to do. Gives
 * false where the fence does not hold.
 */
export async function storeImportPlan(
  sql: Sql,
  fence: Fence,
  { delimiter, columns, rows, chunks }: ImportPlan,
): Promise<boolean> {
  const { jobId, executionName, redriveCount } = fence;
  const stored = await sql`
    with shown as (
      update jobs set progress = ${sql.json({ done: 0, total: rows, failed: 0 })}, revision = revision + 1
      where job_id = ${jobId} and execution_name = ${executionName}
        and redrive_count = ${redriveCount} and status = 'RUNNING'
      returning job_id, execution_name
    ),
    forgotten as (
      delete from import_chunks using shown
      where import_chunks.job_id = shown.job_id and import_chunks.execution_name <> shown.execution_name
    )
    insert into import_plans (job_id, execution_name, delimiter, columns, rows, chunks)
    select job_id, execution_name, ${delimiter}, ${columns === null ? null : sql.json(columns)}, ${rows}, ${chunks}
    from shown
    on conflict (job_id) do update set
      execution_name = excluded.execution_name, delimiter = excluded.delimiter, columns = excluded.columns,
      rows = excluded.rows, chunks = excluded.chunks
    returning job_id`;
  return stored.length === 1;
}

/** The plan that this execution made, or undefined where it has made none. */
export async function findImportPlan(
  sql: Sql,
  { jobId, executionName }: ChildFence,
): Promise<ImportPlan | undefined> {
  const [plan] = await sql<ImportPlan[]>`
    select delimiter, columns, rows, chunks from import_plans
    where job_id = ${jobId} and execution_name = ${executionName}`;
  return plan;
}

export type ImportedChunk = {
  readonly dataset: string;
  readonly chunk: number;
  /** At most one for each key: the last one. */
  readonly rows: readonly ImportedRow[];
  readonly imported: number;
  readonly problems: readonly RowProblem[];
};

/**
 * Stores the rows of a chunk and its counts, both or neither, and the same again if it comes again. A row stays as it
 * is where a later one of its key is stored: one of a job that was accepted later, or from a later line. So neither the
 * order of chunks nor that of jobs matters.
 *
 * Gives false where the execution is no longer the job's, or the job was stopped. The job's row is read and not locked:
 * children that hold it in turn without a gap would keep a cancel waiting. A chunk that began before the cancel may
 * therefore be stored after it, whole and with its counts.
 */
export async function storeImportedChunk(
  sql: Sql,
  { jobId, executionName }: ChildFence,
  { dataset, chunk, rows, imported, problems }: ImportedChunk,
): Promise<boolean> {
  const failed = problems.length;
  const stored = await sql`
    with fence as (
      select job_id, tenant_id, accepted_no, execution_name from jobs
      where job_id = ${jobId} and execution_name = ${executionName} and status not in ('CANCELLED', 'EXPIRED')
    ),
    written as (
      insert into imported_rows as stored (tenant_id, dataset, key, accepted_no, line_no, data, job_id)
      select tenant_id, ${dataset}, key, accepted_no, line, data, job_id
      from fence cross join jsonb_to_recordset(${sql.json(rows as never)}) as given(key text, line bigint, data jsonb)
      -- Chunks with the same keys lock their rows in the same order.
      order by key collate "C"
      on conflict (tenant_id, dataset, key) do update set
        accepted_no = excluded.accepted_no, line_no = excluded.line_no, data = excluded.data,
        job_id = excluded.job_id, imported_at = now()
      where (stored.accepted_no, stored.line_no) < (excluded.accepted_no, excluded.line_no)
    )
    insert into import_chunks (job_id, execution_name, chunk_no, imported, failed, problems)
    select job_id, execution_name, ${chunk}, ${imported}, ${failed}, ${failed === 0 ? null : sql.json(problems)}
    from fence
    on conflict (job_id, execution_name, chunk_no) do update set
      imported = excluded.imported, failed = excluded.failed, problems = excluded.problems
    returning chunk_no`;
  return stored.length === 1;
}

/**
 * Shows the sum of the chunks that are done as the job's progress. Each child says so after its own chunk is
 * committed: a sum that is older than the one shown changes nothing, and the last one to come has all of them.
 */
export async function showImportProgress(
  sql: Sql,
  { jobId, executionName }: ChildFence,
): Promise<void> {
  await sql`
    update jobs set
      progress = progress || jsonb_build_object('done', done, 'failed', failures), revision = revision + 1
    from (
      select coalesce(sum(imported + failed), 0)::integer as done, coalesce(sum(failed), 0)::integer as failures
      from import_chunks where job_id = ${jobId} and execution_name = ${executionName}
    ) as counted
    where job_id = ${jobId} and execution_name = ${executionName} and status = 'RUNNING'
      and (progress ->> 'done')::integer < done`;
}

/** What became of all rows of this execution's chunks so far. */
export async function countImport(
  sql: Sql,
  { jobId, executionName }: ChildFence,
): Promise<ImportCounts> {
  const [counts] = await sql<ImportCounts[]>`
    select count(*)::integer as chunks, coalesce(sum(imported + failed), 0)::integer as total,
           coalesce(sum(imported), 0)::integer as imported, coalesce(sum(failed), 0)::integer as failed
    from import_chunks where job_id = ${jobId} and execution_name = ${executionName}`;
  return counts ?? { chunks: 0, total: 0, imported: 0, failed: 0 };
}

/** The problems of all chunks in the order of their lines; a page of chunks in memory at a time. */
export async function* importProblems(
  sql: Sql,
  { jobId, executionName }: ChildFence,
): AsyncGenerator<RowProblem> {
  for (let after = -1; ;) {
    const chunks = await sql<{ chunk: number; problems: readonly RowProblem[] }[]>`
      select chunk_no as chunk, problems from import_chunks
      where job_id = ${jobId} and execution_name = ${executionName} and chunk_no > ${after} and failed > 0
      order by chunk_no limit 20`;
    for (const { problems } of chunks) yield* problems;
    const last = chunks.at(-1);
    if (last === undefined) return;
    after = last.chunk;
  }
}

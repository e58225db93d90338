import { type Static, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type JobId, parseJobId } from '../ids.ts';
import type { JobView } from './find-job.ts';

/** https://www.postgresql.org/docs/current/sql-notify.html: shorter than 8,000 bytes. */
const maxBytes = 7_999;
const idLength = 36;

const moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A job that succeeded as it is called out: as `GET` shows it, in JSON. */
const calledJob = Type.Object({
  jobId: Type.String(),
  tenantId: Type.String(),
  type: Type.String(),
  status: Type.Literal('SUCCEEDED'),
  run: Type.Integer(),
  revision: Type.Integer(),
  createdAt: moment,
  startedAt: orNull(moment),
  finishedAt: orNull(moment),
  notBefore: orNull(moment),
  progress: orNull(
    Type.Object({
      done: Type.Integer(),
      total: orNull(Type.Integer()),
      failed: Type.Integer(),
    }),
  ),
  result: Type.Unknown(),
  failure: Type.Null(),
  executionName: Type.String(),
  executionArn: orNull(Type.String()),
  redriveCount: Type.Integer(),
});
const fields = Object.keys(calledJob.properties) as (keyof JobView)[];

/** The job's id and, where a NOTIFY has room for it, the job. */
export function toCall(job: JobView): string {
  const call = `${job.jobId} ${JSON.stringify(Object.fromEntries(fields.map((field) => [field, job[field]])))}`;
  return Buffer.byteLength(call) <= maxBytes ? call : job.jobId;
}

/** Whose end is called out; undefined for what is no such call. */
export const calledJobId = (call: string): JobId | undefined => parseJobId(call.slice(0, idLength));

/** Made when it is first needed: a task, which only calls, starts without it. */
let compiled: Validator<{}, typeof calledJob> | undefined;
const check = () => (compiled ??= Compile(calledJob));

/** The job in a call; undefined where it is too large for one, or as another version of this code tells it. */
export function readCall(call: string): JobView | undefined {
  const told = parse(call.slice(idLength + 1));
  if (!check().Check(told) || told.jobId !== calledJobId(call)) return undefined;
  return {
    ...(told as Static<typeof calledJob> & Pick<JobView, 'jobId' | 'tenantId'>),
    createdAt: new Date(told.createdAt),
    startedAt: dateOf(told.startedAt),
    finishedAt: dateOf(told.finishedAt),
    notBefore: dateOf(told.notBefore),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

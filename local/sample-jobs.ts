import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSampleFile, runSampleJob, type SampleJob, uploadFile } from './sample-job.ts';
import type { Runtime } from './supervisor/runtime-file.ts';

interface Sample {
  readonly type: string;
  readonly input: unknown;
  /** Within `samples/`, for types that take a payload. */
  readonly file?: string;
  readonly contentType?: string;
}

const jobTypes = fileURLToPath(new URL('../statemachines/', import.meta.url));
/** What `npm start` runs. */
const firstType = 'document-metadata';

/** A job of each type that a newcomer is shown, from its `sample.json`; `id` keeps it apart from those of earlier starts. */
export function samplesOf(id: string): readonly [Sample, ...Sample[]] {
  const others = readdirSync(jobTypes)
    .filter((type) => type !== firstType && existsSync(sampleFile(type)))
    .sort();
  return [readSample(firstType, id), ...others.map((type) => readSample(type, id))];
}

const sampleFile = (type: string): string => `${jobTypes}${type}/sample.json`;

/** `${id}` in the file stands for what keeps it apart. */
function readSample(type: string, id: string): Sample {
  const text = readFileSync(sampleFile(type), 'utf8');
  const sample: Omit<Sample, 'type'> = JSON.parse(
    text.replaceAll('${id}', id.replaceAll(/[^A-Za-z0-9._-]/g, '-')),
  );
  return { type, ...sample };
}

export const samplePath = (file: string): string =>
  fileURLToPath(new URL(`../samples/${file}`, import.meta.url));

/** Uploads the sample's file, submits its job and waits for the end. */
export async function runSample(runtime: Runtime, sample: Sample): Promise<SampleJob> {
  const { type, input, file, contentType = 'application/octet-stream' } = sample;
  if (file === undefined) return await runSampleJob(runtime, { type, input });
  const payloadRef = await uploadFile(runtime, readSampleFile(samplePath(file), contentType));
  return await runSampleJob(runtime, { type, input, payloadRef });
}

/** `PENDING 0 ms → RUNNING 61 ms → SUCCEEDED 312 ms`, counted from acceptance. */
export function describeWay({ status, createdAt, startedAt, finishedAt }: SampleJob): string {
  const at = (time: string): string => `${Date.parse(time) - Date.parse(createdAt)} ms`;
  return [
    'PENDING 0 ms',
    ...(startedAt === null ? [] : [`RUNNING ${at(startedAt)}`]),
    ...(finishedAt === null ? [] : [`${status} ${at(finishedAt)}`]),
  ].join(' → ');
}

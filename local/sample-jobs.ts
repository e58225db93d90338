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

/** A job of each type that a newcomer is shown; `id` keeps it apart from those of earlier starts. */
export const samplesOf = (id: string): readonly [Sample, ...Sample[]] => [
  {
    type: 'document-metadata',
    input: { documentId: `sample-${id}`, version: 1 },
    file: 'handbook.pdf',
    contentType: 'application/pdf',
  },
  {
    type: 'batch-import',
    input: { dataset: `sample-${id}`, keyField: 'customer_id' },
    file: 'customers.csv',
    contentType: 'text/csv',
  },
  {
    type: 'order-settlement',
    input: {
      orderId: `sample-${id}`.replaceAll(/[^A-Za-z0-9._-]/g, '-'),
      customerEmail: 'ayu@example.com',
      currency: 'IDR',
      items: [
        { sku: 'serum-30', quantity: 1, unitPrice: 149_000 },
        { sku: 'sunscreen-50', quantity: 2, unitPrice: 129_000 },
      ],
    },
  },
];

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

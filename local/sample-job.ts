import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from './supervisor/runtime-file.ts';

/** A job as GET /jobs/:jobId shows it, as far as it is shown here. */
export interface SampleJob {
  readonly jobId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly result: unknown;
  readonly failure: unknown;
}

export interface SampleFile {
  readonly path: string;
  readonly contentType: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Where to PUT a file, as POST /uploads answers. */
export interface Upload {
  readonly uploadUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadRef: unknown;
}

const POLL_MS = 25;
const FINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED']);

export function readSampleFile(path: string, contentType: string): SampleFile {
  const bytes = readFileSync(path);
  return { path, contentType, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Asks for an address to upload the file to. */
export async function askForUpload(runtime: Runtime, file: SampleFile): Promise<Upload> {
  const { sha256, contentType, bytes } = file;
  const body = { sha256, size: bytes.length, contentType };
  return (await call(runtime, 'POST', '/uploads', body)) as Upload;
}

/** The headers of the PUT that its sender has to set; every HTTP client sets the length itself. */
export function sentHeaders({ headers }: Upload): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length'),
  );
}

export async function uploadFile(runtime: Runtime, file: SampleFile): Promise<unknown> {
  const upload = await askForUpload(runtime, file);
  const response = await fetch(upload.uploadUrl, {
    method: 'PUT',
    headers: sentHeaders(upload),
    body: new Uint8Array(file.bytes),
  });
  if (!response.ok) throw new Error(`PUT answered ${response.status}: ${await response.text()}`);
  return upload.payloadRef;
}

/** Submits a job and waits until it is final. */
export async function runSampleJob(
  runtime: Runtime,
  request: { readonly type: string; readonly input: unknown; readonly payloadRef?: unknown },
  timeoutMs = 60_000,
): Promise<SampleJob> {
  const deadline = performance.now() + timeoutMs;
  const accepted = (await call(runtime, 'POST', '/jobs', request)) as SampleJob;
  while (performance.now() < deadline) {
    const job = (await call(runtime, 'GET', `/jobs/${accepted.jobId}`)) as SampleJob;
    if (FINAL.has(job.status)) return job;
    await delay(POLL_MS);
  }
  throw new Error(`job ${accepted.jobId} is not final after ${timeoutMs / 1000} s`);
}

/** The answer's body; its shape is the API's contract, which its own tests hold. */
async function call(
  { api, keys }: Runtime,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { authorization: `Bearer ${keys.client}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

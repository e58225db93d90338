import { askForUpload, readSampleFile, sentHeaders } from './sample-job.ts';
import { samplePath } from './sample-jobs.ts';
import type { Runtime } from './supervisor/runtime-file.ts';

const FILE = 'panduan.pdf';
const CONTENT_TYPE = 'application/pdf';

/** The three calls of a user's whole way, each a line that works as it is in any POSIX shell with curl. */
export async function curlLines(runtime: Runtime): Promise<readonly string[]> {
  const { api, keys } = runtime;
  const file = readSampleFile(samplePath(FILE), CONTENT_TYPE);
  // What the PUT needs is asked of the API itself, so that the line shows what it says today.
  const upload = await askForUpload(runtime, file);
  const key = header('Authorization', `Bearer ${keys.client}`);
  const json = header('Content-Type', 'application/json');
  const request = { sha256: file.sha256, size: file.bytes.length, contentType: CONTENT_TYPE };
  const job = {
    type: 'document-metadata',
    input: { documentId: 'my-first-document', version: 1 },
    payloadRef: upload.payloadRef,
  };
  const put = Object.entries(sentHeaders(upload)).map(([name, value]) => header(name, value));
  return [
    `URL=$(curl -sS ${key} ${json} -d ${body(request)} ${api}/uploads | ${field('uploadUrl')}); ` +
      `curl -sS ${put.join(' ')} -T ${quote(file.path)} "$URL"`,
    `JOB=$(curl -sS ${key} ${json} -d ${body(job)} ${api}/jobs | ${field('jobId')}); echo "$JOB"`,
    `curl -sS ${key} -H 'Prefer: wait=20' "${api}/jobs/$JOB"; echo`,
  ];
}

const header = (name: string, value: string): string => `-H ${quote(`${name}: ${value}`)}`;

const body = (value: unknown): string => quote(JSON.stringify(value));

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Takes a string out of a JSON answer with what every system has. */
const field = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { S3Error } from '../s3-error.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';
import type { ActionResponse } from './action.ts';

/** Sends an action's answer and waits until it is out; rejects if the client went away. */
export async function writeResponse(
  response: ServerResponse,
  answer: ActionResponse,
): Promise<void> {
  const { status, headers = {}, body } = answer;
  try {
    if (typeof body === 'string') {
      writeHead(response, status, {
        ...headers,
        'content-type': 'application/xml',
        'content-length': String(Buffer.byteLength(body)),
      });
      response.end(body);
      return;
    }
    writeHead(response, status, headers);
    if (body === undefined) response.end();
    else await pipeline(body, response);
  } finally {
    await answer.release?.();
  }
}

/** Sends an `<Error>` document; a HEAD or 304 has no body to carry one. */
export function writeError(
  response: ServerResponse,
  error: S3Error,
  request: { method: string; path: string; requestId: string; hostId: string },
): void {
  const details = Object.entries(error.details).map(([name, value]) => textElement(name, value));
  const root = element(
    'Error',
    textElement('Code', error.code),
    textElement('Message', error.message),
    ...details,
    textElement('Resource', request.path),
    textElement('RequestId', request.requestId),
    textElement('HostId', request.hostId),
  );
  const body = request.method === 'HEAD' ? '' : xmlDocument(root, { namespace: false });
  writeHead(response, error.status, {
    ...error.headers,
    'content-type': 'application/xml',
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  });
  response.end(body);
}

function writeHead(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
): void {
  if (status === 200 && headers['content-length'] === undefined) {
    response.writeHead(status, { ...headers, 'content-length': '0' });
  } else {
    response.writeHead(status, headers);
  }
}

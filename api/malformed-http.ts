import type { ConnectionError } from 'fastify';
import type { Socket } from 'node:net';
import { Problem, problemBody, type ProblemCode, problemMediaType, problems } from './problems.ts';

/** Node's codes for what is no request (https://nodejs.org/api/http.html#event-clienterror). */
const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Answers, on the bare socket, what never became a request, and closes the connection. */
export function answerMalformedHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(codes[error.code] ?? 'malformed-http');
  const body = JSON.stringify(problemBody(problem));
  const { status, title } = problems[problem.problemCode];
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${problemMediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

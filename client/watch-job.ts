import type { Job } from './api-types.ts';
import { type ClientOptions, fetchPatiently, pause } from './call-api.ts';

/** What a job's event stream tells: an arrow it has taken, or how far it has come. */
export type JobEvent =
  | {
      readonly event: 'status';
      readonly jobId: string;
      readonly status: Job['status'];
      readonly run: number;
      readonly at: string;
      readonly final: boolean;
    }
  | ({ readonly event: 'progress'; readonly jobId: string } & NonNullable<Job['progress']>);

const reconnectMs = 1_000;

/** Follows a job until it is final; goes on where it was cut off when the connection breaks. */
export async function* watchJob(
  options: ClientOptions,
  jobId: string,
  signal?: AbortSignal,
): AsyncGenerator<JobEvent, void> {
  let lastEventId: string | undefined;
  for (;;) {
    const response = await fetchPatiently(options, 'streamJobEvents', {
      path: { jobId },
      header: { 'last-event-id': lastEventId },
      signal,
    });
    if (response.status === 204 || response.body === null) return;
    try {
      for await (const { id, event } of readEvents(response.body)) {
        lastEventId = id;
        yield event;
        if (event.event === 'status' && event.final) return;
      }
    } catch (error) {
      if (signal?.aborted === true) throw error;
    }
    await pause(reconnectMs, signal);
  }
}

/** The events of a text/event-stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ id: string | undefined; event: JobEvent }> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line): [string, string] => splitField(line)));
      const [name, data] = [fields.get('event'), fields.get('data')];
      if ((name !== 'status' && name !== 'progress') || data === undefined) continue;
      yield { id: fields.get('id'), event: { event: name, ...JSON.parse(data) } };
    }
  }
}

function splitField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}

import { waitFor } from '../support/wait-for.ts';

export type SentEvent = {
  readonly id: string;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Reads server-sent events as an EventSource does. */
export function readEvents(url: string, key: string, lastEventId?: string) {
  const abort = new AbortController();
  let text = '';
  const read = async (): Promise<SentEvent[]> => {
    try {
      const response = await fetch(url, {
        signal: abort.signal,
        headers: {
          authorization: `Bearer ${key}`,
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      });
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        text += chunk;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    return parseEvents(text);
  };
  return {
    /** All events until the stream ended or was cut. */
    ended: read(),
    saw: (part: string) => waitFor(() => text.includes(part), 5000, `${part} in the stream`),
    cut: () => abort.abort(),
  };
}

const parseEvents = (text: string): SentEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1] ?? '',
      name: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}'),
    }));

import type { DocumentFacts, DocumentHints } from './document-facts.ts';
import {
  type DocumentReader,
  type OpenPayload,
  type ReaderLimits,
  startDocumentReader,
} from './document-reader.ts';

/** Reads documents in child processes, two at a time so that a slow one does not hold up all; the others wait. */
export type ReaderPool = {
  readonly read: (payload: OpenPayload, hints: DocumentHints) => Promise<DocumentFacts>;
  readonly close: () => void;
};

export const defaultReaderLimits: ReaderLimits = {
  budgetMs: 45_000,
  memoryBytes: 768 * 1024 ** 2,
};

/** Starts no child before the first document; one is kept for the next and does not keep this process alive. */
export function createReaderPool(limits: ReaderLimits = defaultReaderLimits): ReaderPool {
  const idle: DocumentReader[] = [];
  const waiting: (() => void)[] = [];
  let free = 2;

  const takeTurn = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const endTurn = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const takeReader = (): DocumentReader => {
    for (let reader = idle.pop(); reader !== undefined; reader = idle.pop()) {
      if (reader.usable()) return reader;
    }
    return startDocumentReader(limits);
  };

  return {
    read: async (payload, hints) => {
      await takeTurn();
      const reader = takeReader();
      try {
        return await reader.read(payload, hints);
      } finally {
        if (reader.usable() && idle.length === 0) idle.push(reader);
        else reader.kill();
        endTurn();
      }
    },
    close: () => {
      for (const reader of idle.splice(0)) reader.kill();
    },
  };
}

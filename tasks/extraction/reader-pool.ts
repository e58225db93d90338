import { availableParallelism } from 'node:os';
import type { DocumentFacts, DocumentHints } from './document-facts.ts';
import {
  type DocumentReader,
  type OpenPayload,
  type ReaderLimits,
  startDocumentReader,
} from './document-reader.ts';

/** Reads documents in child processes, at most one a core at a time; the others wait their turn. */
export type ReaderPool = {
  readonly read: (payload: OpenPayload, hints: DocumentHints) => Promise<DocumentFacts>;
  readonly close: () => void;
};

export const defaultReaderLimits: ReaderLimits = {
  budgetMs: 45_000,
  memoryBytes: 768 * 1024 ** 2,
};

/** Starts no child before the first document; idle ones are used again and do not keep the process alive. */
export function createReaderPool(limits: ReaderLimits = defaultReaderLimits): ReaderPool {
  const idle: DocumentReader[] = [];
  const waiting: (() => void)[] = [];
  let free = availableParallelism();

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
        if (reader.usable()) idle.push(reader);
        endTurn();
      }
    },
    close: () => {
      for (const reader of idle.splice(0)) reader.kill();
    },
  };
}

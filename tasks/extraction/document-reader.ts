// A document is read in a child process, because a hostile one may take any time and memory, or crash a native
// library. This file is both sides: the child is started on this very file (or on the bundle that holds it, so that a
// bundler needs no second entry) with `childMark` as its argument.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { Terminal, Transient } from '../../jobs/failure.ts';
import {
  type DocumentFacts,
  DocumentError,
  type DocumentFailureCode,
  type DocumentHints,
} from './document-facts.ts';
import { extractDocument } from './extract-document.ts';

const childMark = '--pawl-document-reader';

/** What one document may take: past either it is DOCUMENT_TOO_COMPLEX, and the child is replaced. */
export type ReaderLimits = {
  /** Time the child owes us, waiting for S3 not counted. */
  readonly budgetMs: number;
  /** Resident memory of the child, native memory included. */
  readonly memoryBytes: number;
};

type Answer =
  | { readonly ok: true; readonly facts: DocumentFacts }
  | { readonly ok: false; readonly code: DocumentFailureCode; readonly message: string }
  /** The reader's own fault. */
  | { readonly ok: 'bug'; readonly message: string };

/** Opens the bytes when there is somebody to read them. */
export type OpenPayload = () => Promise<AsyncIterable<Buffer>>;

/** One child process; reads one document at a time. */
export type DocumentReader = {
  /** Throws Terminal DOCUMENT_…, or what `payload` throws. */
  readonly read: (payload: OpenPayload, hints: DocumentHints) => Promise<DocumentFacts>;
  /** Whether it may be given another document. */
  readonly usable: () => boolean;
  readonly kill: () => void;
};

/** Starts a child; it ends by itself when this process does, however this process ends. */
export function startDocumentReader(limits: ReaderLimits): DocumentReader {
  const child = fork(fileURLToPath(import.meta.url), [childMark, String(limits.memoryBytes)], {
    // Nothing of ours is handed to whoever takes over a reader of documents: no address, no secret.
    env: {},
    execArgv: ['--max-old-space-size=384', '--no-warnings'],
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  });
  const life = watchLife(child);
  let fresh = true;
  return {
    read: async (open, hints) => {
      setReferenced(child, true);
      fresh = false;
      try {
        const facts = await exchange(child, life, open, hints, limits.budgetMs);
        fresh = true;
        return facts;
      } catch (error) {
        // A failed document may have left anything behind.
        child.kill('SIGKILL');
        throw error;
      } finally {
        setReferenced(child, false);
      }
    },
    usable: () => fresh && child.exitCode === null && child.signalCode === null,
    kill: () => child.kill('SIGKILL'),
  };
}

type Life = {
  /** Rejects when the child ends, with what that means for the document. */
  readonly ended: Promise<never>;
};

function watchLife(child: ChildProcess): Life {
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaint = (complaint + text.toString()).slice(-2_000);
  });
  child.stdin?.on('error', () => undefined); // EPIPE: `ended` tells why
  const ended = new Promise<never>((_, reject) => {
    child.on('error', (cause) => {
      reject(new Transient('TASK_CRASHED', 'no document reader could be started', { cause }));
    });
    // 'close': when all of its complaint has come in.
    child.once('close', (_code, signal) => reject(meaningOfEnd(signal, complaint)));
  });
  ended.catch(() => undefined); // an idle child's end concerns nobody
  return { ended };
}

const overMemory = 'memory limit';

function meaningOfEnd(signal: NodeJS.Signals | null, complaint: string): Error {
  if (complaint.includes(overMemory) || complaint.includes('heap out of memory')) {
    return new Terminal(
      'DOCUMENT_TOO_COMPLEX',
      'reading it takes more memory than there is for it',
    );
  }
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGABRT' || signal === 'SIGILL') {
    return new Terminal('DOCUMENT_DAMAGED', `reading it crashed the reader (${signal})`);
  }
  return new Transient('TASK_CRASHED', `the document reader ended (${signal ?? 'exit'})`);
}

/** An idle reader does not keep this process alive; a busy one does. */
function setReferenced(child: ChildProcess, referenced: boolean): void {
  const name = referenced ? 'ref' : 'unref';
  child[name]();
  child.channel?.[name]();
  for (const stream of [child.stdin, child.stderr]) {
    if (isReferable(stream)) stream[name]();
  }
}

/** A pipe to a child is a socket. */
const isReferable = (stream: unknown): stream is { ref(): void; unref(): void } =>
  typeof stream === 'object' && stream !== null && 'ref' in stream && 'unref' in stream;

async function exchange(
  child: ChildProcess,
  { ended }: Life,
  open: OpenPayload,
  hints: DocumentHints,
  budgetMs: number,
): Promise<DocumentFacts> {
  const answered = once(child, 'message').then(([message]) => message as Answer);
  answered.catch(() => undefined);
  const budget = new Budget(budgetMs);
  child.send(hints);
  let early: Answer | undefined;
  void answered.then((answer) => {
    early = answer;
  });
  for await (const chunk of await open()) {
    // An answer before the end can only be a refusal.
    if (early !== undefined) break;
    if (child.stdin?.write(chunk) === false) {
      await budget.spend(Promise.race([once(child.stdin, 'drain'), answered, ended]));
    }
  }
  return factsOf(await budget.spend(Promise.race([answered, ended])));
}

function factsOf(answer: Answer): DocumentFacts {
  switch (answer.ok) {
    case true:
      return answer.facts;
    case false:
      throw new Terminal(answer.code, `the document: ${answer.message}`);
    case 'bug':
      throw new Error(`the document reader failed: ${answer.message}`);
  }
}

/** Time that runs only while somebody is waited for. */
class Budget {
  #leftMs: number;

  constructor(totalMs: number) {
    this.#leftMs = totalMs;
  }

  async spend<Result>(wait: Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(
        new Terminal('DOCUMENT_TOO_COMPLEX', 'reading it takes more time than there is for it'),
      );
    }, this.#leftMs);
    try {
      return await Promise.race([wait, promise]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - startedAt;
    }
  }
}

// From here on: the child.

function serve(memoryBytes: number): void {
  const watchdog = startWatchdog(memoryBytes);
  // Ctrl-C in a terminal is for our parent, which lets its work finish; our end is its disconnect.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(0));
  process.on('message', (hints: DocumentHints) => {
    watchdog.tell('started');
    void answer(hints).then((message) => {
      watchdog.tell('ended');
      return process.send?.(message);
    });
  });
}

async function answer(hints: DocumentHints): Promise<Answer> {
  try {
    const facts = await extractDocument(exactly(process.stdin, hints.bytes), hints);
    return { ok: true, facts };
  } catch (error) {
    if (error instanceof DocumentError)
      return { ok: false, code: error.code, message: error.message };
    return {
      ok: 'bug',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

/** The next `bytes` bytes of a stream that goes on after them. */
async function* exactly(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  while (left > 0) {
    const chunk: Buffer | null = stream.read();
    if (chunk === null) {
      await once(stream, 'readable');
      continue;
    }
    left -= chunk.length;
    yield chunk;
  }
}

/** Far longer than any function's timeout: for a parent that gave up without killing us. */
const maxBusyMs = 15 * 60_000;

/**
 * A thread of its own, because the main one may be in a loop that never yields: ends the process when its memory
 * passes the limit, when its parent is gone, and when one document never ends. It is told when one starts and ends.
 */
function startWatchdog(memoryBytes: number): { tell: (what: 'started' | 'ended') => void } {
  const source = `
    const { writeSync } = require('node:fs');
    const { parentPort } = require('node:worker_threads');
    const parent = process.ppid;
    let busySince;
    parentPort.on('message', (what) => {
      busySince = what === 'started' ? Date.now() : undefined;
    });
    setInterval(() => {
      const tooLarge = process.memoryUsage.rss() > ${memoryBytes};
      const endless = busySince !== undefined && Date.now() - busySince > ${maxBusyMs};
      if (tooLarge) writeSync(2, '${overMemory}');
      if (tooLarge || endless || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    }, 25);`;
  const watchdog = new Worker(source, { eval: true });
  watchdog.unref();
  // The second argument is the list of what is handed over.
  return { tell: (what) => watchdog.postMessage(what, []) };
}

if (isMainThread && process.argv[2] === childMark) serve(Number(process.argv[3]));

import { claimCompletions, type Completion } from '../jobs/store/completions.ts';
import { type CompletionDeps, tellCompletion } from './tell-completion.ts';

/** How many receivers are told at once by one process; one that hangs keeps its place for 20 s. */
export type CompletionPlaces = {
  readonly atOnce: number;
  /** So that a tenant whose receivers hang leaves the others theirs. */
  readonly perTenant: number;
  /** So that a receiver that hangs leaves its tenant's others theirs. */
  readonly perReceiver: number;
};

const defaultPlaces: CompletionPlaces = { atOnce: 64, perTenant: 16, perReceiver: 8 };

/** A place that was given up is filled at once; otherwise it is looked so often for what is due. */
const waitMs = 500;

export type Completions = {
  /** Begins to tell what is due and has a place; 'again' where more may be due by then. */
  turn(): Promise<'again' | void>;
  /** Resolves when nothing is in hand any more, or `withinMs` is over: what was cut off is told again later. */
  settled(withinMs: number): Promise<void>;
};

/** The pool that tells receivers: a slow one holds its own places and nobody else's. */
export function createCompletions(
  deps: CompletionDeps,
  places: CompletionPlaces = defaultPlaces,
): Completions {
  const inHand = new Map<Completion, Promise<void>>();
  let placeGivenUp = Promise.withResolvers<void>();

  const begin = (completion: Completion): void => {
    const told = tellCompletion(deps, completion)
      .catch((error: unknown) => {
        const { jobId } = completion.payload;
        deps.log.error({ err: error, jobId }, 'a completion could not be recorded');
      })
      .finally(() => {
        inHand.delete(completion);
        placeGivenUp.resolve();
      });
    inHand.set(completion, told);
  };
  return {
    async turn() {
      placeGivenUp = Promise.withResolvers();
      const { atOnce, perTenant, perReceiver } = places;
      const free = atOnce - inHand.size;
      if (free > 0) {
        const taken = { free, perTenant, perReceiver, inHand: [...inHand.keys()] };
        for (const completion of await claimCompletions(deps.sql, taken)) begin(completion);
      }
      if (inHand.size === 0) return;
      await atMost(waitMs, placeGivenUp.promise);
      return 'again';
    },
    async settled(withinMs) {
      await atMost(withinMs, Promise.all(inHand.values()));
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

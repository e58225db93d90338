import { createMicroBatch } from './micro-batch.ts';
import { beginStatement, timingNone } from './store/statement-time.ts';

type Options<Item, Answer> = {
  readonly maxItems: number;
  readonly maxInFlight: number;
  /** How long an item waits for company; default: for the next turn of the event loop. */
  readonly gatherMs?: number;
  /** Which items may be in a statement with others; default: all. */
  readonly sharable?: (item: Item) => boolean;
  /** Writes all of them in one statement; gives the answers by the items' places. */
  readonly together: (items: readonly Item[]) => Promise<readonly Answer[]>;
};

/**
 * Lets writes that come at the same moment share one statement and one commit. Each answer is given after the commit
 * that holds its write. Where the statement fails, each is tried by itself, so that nobody pays for another one's row.
 */
export function shareStatement<Item, Answer>({
  sharable = () => true,
  together,
  ...batching
}: Options<Item, Answer>): (item: Item) => Promise<Answer> {
  type Waiting = { readonly item: Item; readonly settle: (answer: Promise<Answer>) => void };
  const alone = async (item: Item): Promise<Answer> => answerAt(await together([item]), 0);

  const batch = createMicroBatch<Waiting>({
    ...batching,
    flush: async (waiting) => {
      try {
        const answers = await timingNone(() => together(waiting.map(({ item }) => item)));
        waiting.forEach(({ settle }, index) => settle(Promise.resolve(answerAt(answers, index))));
      } catch (error) {
        for (const { item, settle } of waiting) {
          settle(waiting.length === 1 ? Promise.reject(error) : alone(item));
        }
      }
    },
  });
  const inCompany = async (item: Item): Promise<Answer> => {
    const end = beginStatement();
    try {
      return await new Promise((resolve) => batch.add({ item, settle: resolve }));
    } finally {
      end();
    }
  };
  return async (item) => (sharable(item) ? await inCompany(item) : await alone(item));
}

function answerAt<Answer>(answers: readonly Answer[], index: number): Answer {
  if (index >= answers.length) throw new Error(`a shared statement gave ${answers.length} answers`);
  return answers[index] as Answer; // undefined is an answer, too
}

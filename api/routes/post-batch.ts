import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { schemaProblems } from '../../jobs/schema-problems.ts';
import { lockKeys } from '../../jobs/store/lock-keys.ts';
import { retryingDeadlocks } from '../../jobs/store/retry-deadlock.ts';
import { inTransaction, type Transaction } from '../../jobs/store/transaction.ts';
import type { FastifyRequest } from 'fastify';
import { submitJob, type Submission, type SubmitOutcome } from '../../jobs/submit.ts';
import { toProblem } from '../answer-errors.ts';
import { tenantOf } from '../authenticate.ts';
import type { Api, RouteDeps } from '../api.ts';
import { compileValidators } from '../compile-validators.ts';
import { Problem, problemBody } from '../problems.ts';
import { representAccepted } from '../represent-job.ts';
import { acceptedJob, batchItem, problem, problemResponses, refTo } from '../schemas.ts';
import {
  idempotencyKeyOf,
  prepareSubmission,
  publish,
  readOutcome,
  submitRequest,
  type Submitted,
} from '../submit-request.ts';

const maxJobs = 100;
const maxBodyBytes = 8 * 1024 * 1024;

type Item = Static<typeof batchItem>;
type Result = Submitted | Problem;

const bodyWith = <Items extends typeof batchItem | Type.TUnknown>(items: Items) =>
  Type.Object(
    {
      atomic: Type.Optional(
        Type.Boolean({
          description: 'all of them or none, in one transaction; default: each for itself',
        }),
      ),
      jobs: Type.Array(items, { minItems: 1, maxItems: maxJobs }),
    },
    { additionalProperties: false },
  );

/** POST /jobs/batch: up to 100 jobs, in their order, each with its own outcome. */
export function postBatch(api: Api, deps: RouteDeps): void {
  api.post(
    '/jobs/batch',
    {
      bodyLimit: maxBodyBytes,
      config: { scope: 'jobs:write' },
      // An item that is wrong is that item's outcome; only what is around them makes the whole request 400.
      validatorCompiler: (part) =>
        compileValidators(
          part.httpPart === 'body' ? { ...part, schema: bodyWith(Type.Unknown()) } : part,
        ),
      schema: {
        operationId: 'submitJobs',
        tags: ['jobs'],
        summary: 'Submit up to 100 jobs',
        body: bodyWith(batchItem),
        response: {
          200: Type.Object({
            results: Type.Array(
              Type.Object({
                status: Type.Integer({ description: 'as POST /jobs would have answered' }),
                job: Type.Optional(refTo(acceptedJob)),
                replayed: Type.Optional(Type.Boolean()),
                problem: Type.Optional(refTo(problem)),
              }),
            ),
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { atomic = false, jobs } = request.body;
      const results = atomic
        ? await submitTogether(deps, request, jobs)
        : await submitEach(deps, request, jobs);
      for (const result of results) {
        if (result instanceof Problem) deps.refusals.note(result, request);
      }
      return reply.send({ results: results.map(representResult) });
    },
  );
}

/** One after the other: jobs of the same ordering key are accepted in the order in which they stand. */
async function submitEach(deps: RouteDeps, request: FastifyRequest, items: readonly unknown[]) {
  const results: Result[] = [];
  for (const item of items) {
    try {
      const { idempotencyKey, ...job } = parseItem(item);
      const key = idempotencyKeyOf(idempotencyKey);
      results.push(await submitRequest(deps, request, job, key));
    } catch (error) {
      results.push(toProblem(error, request));
    }
  }
  return results;
}

/** All in one transaction, which is given up at the first that stands against it. */
async function submitTogether(deps: RouteDeps, request: FastifyRequest, items: readonly unknown[]) {
  const prepared = items.map((item) => prepareItem(deps, request, item));
  if (prepared.some((item) => item instanceof Problem)) {
    return prepared.map((item) => (item instanceof Problem ? item : notStored()));
  }
  const ready = prepared.filter((item): item is Prepared => !(item instanceof Problem));
  let outcomes: SubmitOutcome[] = [];
  const submitAll = async (tx: Transaction): Promise<void> => {
    outcomes = [];
    await lockKeys(tx, tenantOf(request), ready.flatMap(keysOf));
    for (const { job, submission } of ready) {
      const outcome = await submitJob(tx, job, submission, deps.clock());
      readOutcome(outcome);
      outcomes.push(outcome);
    }
  };
  try {
    // Other batches wait in a line for the keys; with a single submit or a job's end a batch can still meet in a circle.
    await retryingDeadlocks(() => inTransaction(deps.sql, submitAll));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return items.map((_, index) => (index === outcomes.length ? error : notStored()));
  }
  for (const outcome of outcomes) publish(deps, outcome);
  return outcomes.map(readOutcome);
}

type Prepared = { readonly job: Omit<Item, 'idempotencyKey'>; readonly submission: Submission };

/** What jobs of other batches may have in common with this one, so that one of them has to wait. */
const keysOf = ({ job, submission: { idempotencyKey } }: Prepared): string[] => [
  ...(job.orderingKey === undefined ? [] : [`ordering ${job.orderingKey}`]),
  ...(idempotencyKey === null ? [] : [`idempotency ${idempotencyKey}`]),
  ...(job.uniqueKey === undefined ? [] : [`unique ${job.type} ${job.uniqueKey}`]),
];

function prepareItem(deps: RouteDeps, request: FastifyRequest, item: unknown): Prepared | Problem {
  try {
    const { idempotencyKey, ...job } = parseItem(item);
    const key = idempotencyKeyOf(idempotencyKey);
    return { job, submission: prepareSubmission(deps, request, job, key) };
  } catch (error) {
    return toProblem(error, request);
  }
}

const itemCheck = Compile(batchItem);

function parseItem(item: unknown): Item {
  if (itemCheck.Check(item)) return item;
  throw new Problem('invalid-request', { in: 'body', errors: schemaProblems(itemCheck, item) });
}

const notStored = (): Problem =>
  new Problem('batch-not-stored', { detail: 'nothing of the batch was stored' });

function representResult(result: Result) {
  return result instanceof Problem
    ? { status: result.statusCode, problem: problemBody(result) }
    : { status: 202, job: representAccepted(result.job), replayed: result.replayed };
}

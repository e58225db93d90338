import { type Static, Type } from 'typebox';
import { goneAfterSeconds, type WorkerView } from '../../../jobs/store/workers.ts';
import { orNull, time } from '../../schemas.ts';

/** A worker process as operators see it. */
export const worker = Type.Object({
  workerId: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: time,
  seenAt: time,
  alive: Type.Boolean(),
  circuitOpen: Type.Boolean(),
  eventLoopDelayMs: Type.Number(),
  poolWaitMs: orNull(Type.Number()),
  queues: Type.Record(
    Type.String(),
    Type.Object({
      received: Type.Integer({ description: 'within the last minute, like all of these' }),
      done: Type.Integer(),
      later: Type.Integer(),
      inHand: Type.Integer(),
      redelivered: Type.Integer(),
      highestReceiveCount: Type.Integer(),
      oldestSeconds: orNull(Type.Number()),
      p99Ms: orNull(Type.Number()),
    }),
  ),
});

export const representWorker = ({
  state,
  silentSeconds,
  ...view
}: WorkerView): Static<typeof worker> => ({
  ...view,
  ...state,
  queues: { ...state.queues },
  startedAt: view.startedAt.toISOString(),
  seenAt: view.seenAt.toISOString(),
  alive: silentSeconds < goneAfterSeconds,
});

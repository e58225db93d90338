import type { TaskOutcome } from '../execution/command.ts';
import { liveAttempts, type LiveAttempt } from '../execution/live-attempts.ts';
import { parseTaskResource } from '../execution/task-resource.ts';
import { openOf, type ExecutionView } from '../execution/view.ts';
import type { TaskCall } from '../tasks/task-call.ts';
import type { ActivityQueues } from './activity-queues.ts';
import type { TaskRunner } from './task-runner.ts';

type AttemptKeeperDependencies = {
  readonly runner: TaskRunner;
  readonly activities: ActivityQueues;
  readonly region: string;
  readonly accountId: string;
  ended(executionId: number, threadId: number, attemptId: number, outcome: TaskOutcome): void;
};

type Work = { readonly controller: AbortController; isDone: boolean };

export type AttemptKeeper = ReturnType<typeof createAttemptKeeper>;

/** Keeps under way what executions need done: starts what is missing, calls off what is over. */
export function createAttemptKeeper(dependencies: AttemptKeeperDependencies) {
  const { runner, activities, region, accountId } = dependencies;
  /** By execution, then by attempt and need; an object, as the executions themselves (execution-host.ts). */
  const underWay: Record<number, Map<string, Work>> = {};

  function begin(view: ExecutionView, live: LiveAttempt, calls: Map<string, Work>): void {
    const { thread, attempt, need } = live;
    const { id } = view.identity;
    if (need === 'worker') {
      activities.offer(attempt.resource, {
        executionId: id,
        threadId: thread.id,
        attemptId: attempt.id,
      });
      return;
    }
    const work: Work = { controller: new AbortController(), isDone: false };
    calls.set(keyOf(live), work);
    const call = taskCall(view, live, work.controller.signal);
    const outcome =
      need === 'call' ? runner.call(call) : runner.follow(call, attempt.submitted ?? null);
    void outcome.then((result) => {
      if (work.controller.signal.aborted) return;
      // It stays listed until the execution has taken the outcome: until then the attempt is live.
      work.isDone = true;
      dependencies.ended(id, thread.id, attempt.id, result);
    });
  }

  function taskCall(
    view: ExecutionView,
    { thread, attempt }: LiveAttempt,
    signal: AbortSignal,
  ): TaskCall {
    const { identity } = view;
    const resource =
      attempt.family === 'Task'
        ? parseTaskResource(`arn:aws:states:::${attempt.resourceType}:${attempt.resource}`)
        : undefined;
    const service = resource?.family === 'Task' ? resource : undefined;
    return {
      executionArn: identity.arn,
      stateName: openOf(thread).state.name,
      region,
      accountId,
      service: service?.resourceType ?? 'lambda-function',
      action: service?.action ?? attempt.resource,
      pattern: service?.pattern ?? 'requestResponse',
      ...(service?.suffix !== undefined && { suffix: service.suffix }),
      arguments: attempt.arguments,
      ...(attempt.credentials !== undefined && { credentials: attempt.credentials }),
      ...(attempt.token !== undefined && { taskToken: attempt.token }),
      ...(identity.testCase && { testCase: identity.testCase }),
      startedAt: attempt.startedAt,
      attemptKey: `${identity.arn}/${attempt.id}`,
      signal,
    };
  }

  return {
    /** Returns whether anything is under way for the execution. */
    reconcile(view: ExecutionView): boolean {
      const { id } = view.identity;
      const live = liveAttempts(view);
      let calls = underWay[id];
      if (live.length === 0 && !calls) return false;
      calls ??= new Map();
      const needed = new Set(live.map(keyOf));
      for (const [key, { controller, isDone }] of calls) {
        if (needed.has(key)) continue;
        calls.delete(key);
        if (!isDone) controller.abort();
      }
      for (const attempt of live) if (!calls.has(keyOf(attempt))) begin(view, attempt, calls);
      if (calls.size > 0) underWay[id] = calls;
      else delete underWay[id];
      return calls.size > 0;
    },
  };
}

function keyOf({ attempt, need }: LiveAttempt): string {
  return `${attempt.id}/${need}`;
}

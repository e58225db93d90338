/** Where an activity's attempt is to be found. */
export type ActivityTask = { executionId: number; threadId: number; attemptId: number };

export type ActivityQueues = ReturnType<typeof createActivityQueues>;

/**
 * What waits for activity workers, oldest first, and the workers that wait.
 * Held in memory only: it follows from the logs, and is filled again after a restart.
 */
export function createActivityQueues() {
  const tasks = new Map<string, Map<string, ActivityTask>>();
  const workers = new Map<string, Set<() => void>>();

  return {
    /** Offering the same attempt again changes nothing. */
    offer(activityArn: string, task: ActivityTask): void {
      let queue = tasks.get(activityArn);
      if (!queue) tasks.set(activityArn, (queue = new Map()));
      const key = `${task.executionId}/${task.attemptId}`;
      if (queue.has(key)) return;
      queue.set(key, task);
      const [wake] = workers.get(activityArn) ?? [];
      wake?.();
    },
    take(activityArn: string): ActivityTask | undefined {
      const queue = tasks.get(activityArn);
      const [first] = queue ?? [];
      if (!queue || !first) return undefined;
      const [key, task] = first;
      queue.delete(key);
      if (queue.size === 0) tasks.delete(activityArn);
      return task;
    },
    /** Resolves when there may be something to take, after `ms` at the latest, or when the signal is raised. */
    wait(activityArn: string, ms: number, signal: AbortSignal): Promise<void> {
      if (tasks.has(activityArn) || ms <= 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiting = workers.get(activityArn) ?? new Set();
        workers.set(activityArn, waiting);
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          waiting.delete(done);
          if (waiting.size === 0) workers.delete(activityArn);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        waiting.add(done);
      });
    },
  };
}

import { SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';

/**
 * A message wakes one of those who wait for it, and as long as messages are left another one.
 *
 * fauxqs wakes all: one has the message, and each of the others is answered with nothing and asks again at once, which
 * cost more than the message itself. Groups of a FIFO queue are locked one by one, so there all are woken still.
 */
export function wakeOnePoller(): void {
  const wakeAll: unknown = Reflect.get(SqsQueue.prototype, 'notifyWaiters');
  if (typeof wakeAll !== 'function') throw new Error('fauxqs wakes its pollers otherwise now');
  /** Whoever was woken there has not looked yet. */
  const waking = new WeakSet<SqsQueue>();

  function wakeNext(queue: SqsQueue): void {
    if (waking.has(queue) || queue.messages.length === 0) return;
    const poller = queue.pollWaiters.shift();
    if (poller === undefined) return;
    clearTimeout(poller.timer);
    poller.resolve();
    waking.add(queue);
    setImmediate(() => {
      waking.delete(queue);
      wakeNext(queue);
    });
  }
  Reflect.set(SqsQueue.prototype, 'notifyWaiters', function notifyWaiters(this: SqsQueue): void {
    if (this.isFifo()) Reflect.apply(wakeAll, this, []);
    else wakeNext(this);
  });
}

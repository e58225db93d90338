import { useAnswer } from '../api/use-answer.ts';
import { count, duration } from '../parts/format.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Ago } from '../parts/time.tsx';

export function QueuesTab() {
  const { body, error } = useAnswer('getQueues', {}, 3_000);
  if (body === undefined)
    return error ? <ProblemNote error={error} /> : <p className="loading">Loading …</p>;
  const { queues, inbox, workers } = body;
  return (
    <>
      <ProblemNote error={error} />
      <div className="scroll">
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col">Waiting</th>
              <th scope="col">In flight</th>
              <th scope="col">Delayed</th>
              <th scope="col">Oldest</th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">{queue.name}</th>
                <td className={queue.name.endsWith('-dlq') && queue.visible > 0 ? 'bad' : ''}>
                  {count(queue.visible)}
                </td>
                <td>{count(queue.inFlight)}</td>
                <td>{count(queue.delayed)}</td>
                <td>{queue.oldestSeconds === null ? '–' : duration(queue.oldestSeconds * 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Inbox, last hour</h2>
      <p>
        {count(inbox.lastHour)} messages, {count(inbox.duplicates)} duplicates made one,{' '}
        {count(inbox.processing)} in hand, {count(inbox.failedRetryable)} to be tried again,{' '}
        {count(inbox.failedTerminal)} refused for good.
      </p>
      <h2>Workers</h2>
      <div className="scroll">
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Worker</th>
              <th scope="col">Seen</th>
              <th scope="col">Circuit</th>
              <th scope="col">Event loop</th>
              <th scope="col">Pool wait</th>
              <th scope="col">Received, last minute</th>
              <th scope="col">In hand</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => {
              const loads = Object.values(worker.queues);
              return (
                <tr key={worker.workerId} className={worker.alive ? '' : 'gone'}>
                  <th scope="row">
                    {worker.host} <span className="faint">pid {worker.pid}</span>
                  </th>
                  <td>
                    {!worker.alive && 'gone: '}
                    <Ago at={worker.seenAt} />
                  </td>
                  <td className={worker.circuitOpen ? 'bad' : ''}>
                    {worker.circuitOpen ? 'open' : 'closed'}
                  </td>
                  <td>{duration(worker.eventLoopDelayMs)}</td>
                  <td>{worker.poolWaitMs === null ? '–' : duration(worker.poolWaitMs)}</td>
                  <td>{count(loads.reduce((sum, { received }) => sum + received, 0))}</td>
                  <td>{count(loads.reduce((sum, { inHand }) => sum + inHand, 0))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {workers.length === 0 && <p className="bad">No worker has ever been seen.</p>}
    </>
  );
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hideTokens, representEvent } from '../../api/routes/ops/history-event.ts';
import { type HistoryEvent, readEvent } from '../../console/history/event.ts';
import { retryWindow } from '../../console/history/retry-window.ts';
import { segmentsOf } from '../../console/history/segments.ts';
import { pausesOf, timeAxis } from '../../console/history/time-axis.ts';
import { readVisits, worstOf } from '../../console/history/visits.ts';

/** Events a second apart; each follows the one before it unless it says which. */
function history(
  ...events: readonly (readonly [type: string, details?: object, previousId?: number])[]
): HistoryEvent[] {
  return events.map(([type, details = {}, previousId], index) =>
    readEvent({
      id: index + 1,
      previousEventId: previousId ?? index,
      timestamp: new Date((index + 1) * 1000).toISOString(),
      type,
      someEventDetails: details,
    }),
  );
}

const retried = history(
  ['ExecutionStarted'],
  ['TaskStateEntered', { name: 'Call', input: '{"a":1}' }],
  ['TaskScheduled'],
  ['TaskStarted'],
  ['TaskFailed', { error: 'Transient', cause: 'no answer' }],
  ['TaskScheduled'],
  ['TaskStarted'],
  ['TaskSucceeded', { output: '{"b":2}' }],
  ['TaskStateExited', { name: 'Call', output: '{"b":2}' }],
);

test('a retried task has its attempts, and its time is told apart: waiting, failed, backoff, working', () => {
  const [visit] = readVisits(retried, false).list;
  assert.ok(visit);
  assert.equal(visit.status, 'SUCCEEDED');
  assert.deepEqual(
    visit.attempts.map(({ outcome, error }) => [outcome, error]),
    [
      ['FAILED', 'Transient'],
      ['SUCCEEDED', undefined],
    ],
  );
  assert.deepEqual(
    segmentsOf(visit, 0).map(({ kind, from, to }) => [kind, from / 1000, to / 1000]),
    [
      ['waiting', 3, 4],
      ['failed', 4, 5],
      ['backoff', 5, 6],
      ['waiting', 6, 7],
      ['working', 7, 8],
    ],
  );
});

test('what runs goes on until now, and what was cut off ends with the execution', () => {
  const [running] = readVisits(retried.slice(0, 4), false).list;
  assert.ok(running);
  assert.equal(running.status, 'RUNNING');
  assert.equal(segmentsOf(running, 9_000).at(-1)?.to, 9_000);
  const [failed] = readVisits(retried.slice(0, 5), true).list;
  assert.equal(failed?.status, 'FAILED');
  const [aborted] = readVisits(retried.slice(0, 4), true).list;
  assert.equal(aborted?.status, 'ABORTED');
  assert.equal(aborted?.attempts[0]?.outcome, 'ABORTED');
});

test('states in a Map belong to it, and an exit is the one of the state that it names', () => {
  const { list, ofEvent } = readVisits(
    history(
      ['ExecutionStarted'],
      ['MapStateEntered', { name: 'Each' }],
      ['MapStateStarted', { length: 2 }],
      ['MapIterationStarted', { name: 'Each', index: 0 }],
      ['PassStateEntered', { name: 'Look' }],
      ['PassStateExited', { name: 'Look' }],
      ['MapIterationSucceeded', { name: 'Each', index: 0 }],
      ['MapIterationStarted', { name: 'Each', index: 1 }, 3],
      ['PassStateEntered', { name: 'Look' }],
      ['PassStateExited', { name: 'Look' }],
      ['MapIterationSucceeded', { name: 'Each', index: 1 }],
      ['MapStateSucceeded'],
      ['MapStateExited', { name: 'Each' }],
      ['PassStateEntered', { name: 'After' }],
    ),
    false,
  );
  assert.deepEqual(
    list.map(({ state, parent, status }) => [state, parent?.state, status]),
    [
      ['Each', undefined, 'SUCCEEDED'],
      ['Look', 'Each', 'SUCCEEDED'],
      ['Look', 'Each', 'SUCCEEDED'],
      ['After', undefined, 'RUNNING'],
    ],
  );
  assert.equal(ofEvent.get(11)?.state, 'Each');
  assert.equal(worstOf(list.filter(({ state }) => state === 'Look')), 'SUCCEEDED');
  assert.equal(worstOf([]), 'NOT_ENTERED');
});

test('a redriven state goes on in the passage in which it failed', () => {
  const { list } = readVisits(
    history(
      ['ExecutionStarted'],
      ['TaskStateEntered', { name: 'Call' }],
      ['TaskScheduled'],
      ['TaskStarted'],
      ['TaskFailed', { error: 'Terminal' }],
      ['ExecutionFailed'],
      ['ExecutionRedriven'],
      ['TaskScheduled'],
      ['TaskStarted'],
      ['TaskSucceeded'],
      ['TaskStateExited', { name: 'Call' }],
    ),
    false,
  );
  assert.deepEqual(
    list.map(({ state, attempts }) => [state, attempts.map(({ outcome }) => outcome)]),
    [['Call', ['FAILED', 'SUCCEEDED']]],
  );
  const [visit] = list;
  assert.ok(visit);
  assert.deepEqual(
    segmentsOf(visit, 0).map(({ kind }) => kind),
    ['waiting', 'failed', 'stopped', 'waiting', 'working'],
  );
});

test('the next attempt comes as the Retry of the state says', () => {
  const state = {
    Retry: [
      {
        ErrorEquals: ['Transient'],
        IntervalSeconds: 2,
        BackoffRate: 3,
        MaxAttempts: 3,
        MaxDelaySeconds: 10,
        JitterStrategy: 'FULL',
      },
    ],
  };
  assert.deepEqual(retryWindow(state, 'Transient', 1), {
    latestMs: 2_000,
    jitter: true,
    attemptsLeft: 3,
  });
  assert.equal(retryWindow(state, 'Transient', 3)?.latestMs, 10_000);
  assert.equal(retryWindow(state, 'Transient', 4), undefined);
  assert.equal(retryWindow(state, 'Terminal', 1), undefined);
  assert.equal(
    retryWindow({ Retry: [{ ErrorEquals: ['States.ALL'] }] }, 'Terminal', 1)?.latestMs,
    1_000,
  );
});

test('a task token is hidden, whatever member of the parameters holds it, and nothing else is', () => {
  const token = 'AQ\\"B+/=';
  const parameters = `{"Payload":{"taskToken":"${token}","MY_TOKEN": "${token}","tokens":"kept","order":{"reply_token":"x"},"exact":9007199254740993}}`;
  assert.equal(
    hideTokens(parameters),
    '{"Payload":{"taskToken":"(hidden)","MY_TOKEN": "(hidden)","tokens":"kept","order":{"reply_token":"(hidden)"},"exact":9007199254740993}}',
  );
  const event = representEvent({
    id: 7,
    timestamp: new Date(0),
    type: 'TaskScheduled',
    taskScheduledEventDetails: {
      resourceType: 'lambda',
      resource: 'invoke.waitForTaskToken',
      region: 'us-east-1',
      parameters,
    },
  });
  assert.ok(!JSON.stringify(event).includes('AQ'));
  assert.equal(event['timestamp'], '1970-01-01T00:00:00.000Z');
});

test('a night between a failure and its redrive leaves room for the work on the timeline', () => {
  const second = 1_000;
  const night = 8 * 3_600 * second;
  const at = (type: string, time: number): HistoryEvent =>
    readEvent({ id: 1, timestamp: new Date(time).toISOString(), type });
  const pauses = pausesOf([
    at('ExecutionStarted', 0),
    at('ExecutionFailed', 6 * second),
    at('ExecutionRedriven', 6 * second + night),
    at('ExecutionSucceeded', 10 * second + night),
  ]);
  assert.deepEqual(pauses, [{ from: 6 * second, to: 6 * second + night }]);
  const end = 10 * second + night;
  const axis = timeAxis(0, end, pauses);
  assert.ok(axis.isShortened);
  const places = [0, 6 * second, 6 * second + night, end].map(axis.placeOf);
  assert.deepEqual(
    places.map((place) => Number(place.toFixed(3))),
    [0, 0.545, 0.636, 1],
  );
  assert.deepEqual(
    places.map((place) => Math.round(axis.timeAt(place))),
    [0, 6 * second, 6 * second + night, end],
  );
  // A short pause, and none, are drawn as they are.
  const asItWas = timeAxis(0, 100, [{ from: 50, to: 55 }]);
  assert.deepEqual([25, 55, 90].map(asItWas.placeOf), [0.25, 0.55, 0.9]);
  assert.ok(!asItWas.isShortened && !timeAxis(5, 5, []).isShortened);
});

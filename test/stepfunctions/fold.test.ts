import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseDefinition } from '../../local/stepfunctions/definition/parse-definition.ts';
import type { Command, TaskOutcome } from '../../local/stepfunctions/execution/command.ts';
import { nextDeadline } from '../../local/stepfunctions/execution/deadlines.ts';
import { run } from '../../local/stepfunctions/execution/run-turn.ts';
import { take } from '../../local/stepfunctions/execution/take-command.ts';
import { emptyView, fold } from '../../local/stepfunctions/execution/fold.ts';
import { liveAttempts } from '../../local/stepfunctions/execution/live-attempts.ts';
import { createTurn } from '../../local/stepfunctions/execution/turn.ts';
import type { ExecutionView } from '../../local/stepfunctions/execution/view.ts';
import { task } from './engine-fixture.ts';

const RETRY = [
  { ErrorEquals: ['Once'], IntervalSeconds: 2, MaxAttempts: 2, JitterStrategy: 'FULL' },
];

/** Every kind of state, nested, with retries, catches, variables and timeouts. */
const MACHINE = parseDefinition(
  JSON.stringify({
    TimeoutSeconds: 200,
    StartAt: 'Begin',
    States: {
      Begin: { Type: 'Pass', Assign: { seen: 1 }, Next: 'Pause' },
      Pause: { Type: 'Wait', Seconds: 3, Next: 'Both' },
      Both: {
        Type: 'Parallel',
        Retry: RETRY,
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Each' }],
        ResultPath: '$.both',
        Next: 'Each',
        Branches: [
          { StartAt: 'Left', States: { Left: task('left', { Retry: RETRY, TimeoutSeconds: 10 }) } },
          {
            StartAt: 'Right',
            States: { Right: { Type: 'Wait', Seconds: 1, Next: 'Then' }, Then: task('then') },
          },
        ],
      },
      Each: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemSelector: { 'item.$': '$$.Map.Item.Value', 'seen.$': '$seen' },
        MaxConcurrency: 2,
        Next: 'Whether',
        ItemProcessor: {
          StartAt: 'One',
          States: { One: task('one', { Next: 'Mark' }), Mark: { Type: 'Pass', End: true } },
        },
      },
      Whether: {
        Type: 'Choice',
        Choices: [{ IsPresent: true, Variable: '$[0]', Next: 'Good' }],
        Default: 'Bad',
      },
      Good: { Type: 'Succeed' },
      Bad: { Type: 'Fail', Error: 'Empty' },
    },
  }),
);

const IDENTITY = {
  id: 1,
  arn: 'arn:aws:states:us-east-1:000000000000:execution:m:e',
  name: 'e',
  machineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
  machineName: 'm',
  roleArn: 'arn:aws:iam::000000000000:role/r',
  express: false,
};

type World = { view: ExecutionView; entries: string[]; now: number; random(): number };

async function takeTurn(world: World, command: Command): Promise<void> {
  const turn = createTurn(world.view, {
    clock: () => world.now,
    random: () => world.random(),
    nonce: () => 'nonce',
    region: 'us-east-1',
    activityExists: () => true,
    report: (error) => {
      throw error;
    },
  });
  take(turn, command);
  await run(turn);
  if (turn.records.length > 0) world.entries.push(JSON.stringify(turn.records));
}

/** What the fuzzer lets happen next. */
type Move = { kind: 'finish' | 'fail' | 'time' | 'stop' | 'redrive'; pick: number };

async function make(world: World, { kind, pick }: Move): Promise<void> {
  const live = liveAttempts(world.view);
  const chosen = live[pick % Math.max(1, live.length)];
  switch (kind) {
    case 'finish':
    case 'fail': {
      if (!chosen) return;
      const outcome: TaskOutcome =
        kind === 'finish'
          ? { kind: 'succeeded', output: { n: pick } }
          : { kind: 'failed', failure: { error: pick % 2 ? 'Once' : 'Other' } };
      const { thread, attempt } = chosen;
      return takeTurn(world, {
        kind: 'outcome',
        threadId: thread.id,
        attemptId: attempt.id,
        outcome,
      });
    }
    case 'time': {
      const next = nextDeadline(world.view);
      if (next === Infinity) return;
      world.now = Math.max(world.now, next);
      return takeTurn(world, { kind: 'wake' });
    }
    case 'stop':
      return pick % 10 === 0 ? takeTurn(world, { kind: 'stop', error: 'Stopped' }) : undefined;
    case 'redrive':
      return takeTurn(world, { kind: 'redrive' });
  }
}

/** A view as plain data: parents would make it circular, the definition is the same anyway. */
function plain(view: ExecutionView): unknown {
  const hidden = new Set(['machine', 'graph', 'parent', 'state']);
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) => (hidden.has(key) ? undefined : value)),
  );
}

const moves = fc.array(
  fc.record({
    kind: fc.constantFrom<Move['kind'][]>(
      'finish',
      'finish',
      'finish',
      'fail',
      'time',
      'time',
      'stop',
      'redrive',
    ),
    pick: fc.nat(100),
  }),
  { maxLength: 60 },
);

test('whatever happens, the fold of the log is the view that the running engine has', async () => {
  await fc.assert(
    fc.asyncProperty(moves, fc.array(fc.integer(), { maxLength: 5 }), async (all, items) => {
      const world: World = {
        view: emptyView(IDENTITY, MACHINE),
        entries: [],
        now: 1000,
        random: () => 0.5,
      };
      await takeTurn(world, { kind: 'start', input: JSON.stringify({ items }) });
      for (const move of all) {
        await make(world, move);
        assert.deepEqual(plain(fold(IDENTITY, MACHINE, world.entries)), plain(world.view));
      }
      assertSound(world);
    }),
    { numRuns: 150 },
  );
});

/** Ids without gap; each previous event lies before; an ended execution has nothing under way. */
function assertSound({ view, entries }: World): void {
  const records = entries.flatMap(
    (entry) => JSON.parse(entry) as { id: number; prev: number; type: string }[],
  );
  const visible = records.filter(({ id }) => id > 0);
  assert.deepEqual(
    visible.map(({ id }) => id),
    visible.map((_record, index) => index + 1),
  );
  for (const { id, prev, type } of visible) assert.ok(prev < id, `${type} #${id} names #${prev}`);
  const ends = visible.filter(({ type }) =>
    /^Execution(Succeeded|Failed|Aborted|TimedOut)$/.test(type),
  );
  const redrives = visible.filter(({ type }) => type === 'ExecutionRedriven');
  assert.equal(ends.length, redrives.length + (view.status === 'RUNNING' ? 0 : 1));
  const live = liveAttempts(view);
  if (view.status !== 'RUNNING') assert.deepEqual(live, []);
  else
    assert.ok(
      live.length > 0 || nextDeadline(view) < Infinity,
      'a running execution waits for something',
    );
}

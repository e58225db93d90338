import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDefinition } from '../../local/stepfunctions/definition/parse-definition.ts';
import { emptyView } from '../../local/stepfunctions/execution/fold.ts';
import { run } from '../../local/stepfunctions/execution/run-turn.ts';
import { take } from '../../local/stepfunctions/execution/take-command.ts';
import { createTurn } from '../../local/stepfunctions/execution/turn.ts';

test('an evaluation that takes its time does not shorten the timeout of the task after it', async () => {
  const machine = parseDefinition(
    JSON.stringify({
      QueryLanguage: 'JSONata',
      StartAt: 'Only',
      States: {
        Only: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Arguments: { FunctionName: '{% "f" %}' },
          TimeoutSeconds: 1,
          End: true,
        },
      },
    }),
  );
  const identity = {
    id: 1,
    arn: 'arn:aws:states:us-east-1:000000000000:execution:m:e',
    name: 'e',
    machineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
    machineName: 'm',
    roleArn: 'arn:aws:iam::000000000000:role/r',
    express: false,
  };
  let time = 0;
  const turn = createTurn(emptyView(identity, machine), {
    // Each time it is looked at, two seconds have gone by.
    clock: () => (time += 2000),
    random: Math.random,
    nonce: () => 'nonce',
    region: 'us-east-1',
    activityExists: () => true,
    report: (error) => {
      throw error;
    },
  });
  take(turn, { kind: 'start', input: '{}' });
  await run(turn);
  const at = (type: string): number => turn.records.find((record) => record.type === type)?.at ?? 0;
  assert.ok(at('TaskStateEntered') < at('TaskStarted'));
  assert.ok(!turn.records.some(({ type }) => type === 'TaskTimedOut'));
});

// Each rule of the linter, shown on a definition that breaks it and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectLogPace } from '../../jobs/effect-log.ts';
import { lintDefinition } from '../../statemachines/lint-definition.ts';
import { loadJobTypes, type RegisteredJobType } from '../../statemachines/registry.ts';

type Json = Record<string, unknown>;
type Definition = Json & { States: Record<string, Json & { Retry: Json[]; Parameters: Json }> };

const types = await loadJobTypes();
const sound = (): RegisteredJobType => {
  const found = types.get('document-metadata');
  if (found === undefined) throw new Error('document-metadata is gone');
  return found;
};

function lint(change: (definition: Definition) => void, settings: Partial<RegisteredJobType> = {}) {
  const definition: Definition = JSON.parse(sound().definition);
  change(definition);
  const jobType = { ...sound(), ...settings, definition: JSON.stringify(definition) };
  return lintDefinition(jobType, effectLogPace);
}

const stateOf = ({ States }: Definition, name: string) => {
  const found = States[name];
  if (found === undefined) throw new Error(`${name} is gone`);
  return found;
};

/** Exactly one problem, of this rule, at this state, which says why and how to mend it. */
function breaks(
  rule: string,
  state: string | undefined,
  what: RegExp,
  change: (definition: Definition) => void,
  settings?: Partial<RegisteredJobType>,
): void {
  const problems = lint(change, settings);
  assert.deepEqual(
    problems.map((problem) => [problem.rule, problem.state]),
    [[rule, state]],
  );
  const [problem] = problems;
  assert.match(problem?.what ?? '', what);
  assert.ok(problem !== undefined && problem.why.length > 20 && problem.mend.length > 10);
}

test('a definition in order has no findings', () => {
  assert.deepEqual(
    lint(() => undefined),
    [],
  );
});

test('a Catch that goes to a Fail state is found, unless the Fail says what was compensated', () => {
  const catching = (comment?: string) => (definition: Definition) => {
    stateOf(definition, 'ExtractMetadata')['Catch'] = [
      { ErrorEquals: ['Terminal'], Next: 'Rejected' },
    ];
    Object.assign(definition.States, { Rejected: { Type: 'Fail', Comment: comment } });
  };
  breaks('catch-to-fail', 'ExtractMetadata', /goes to Rejected/, catching());
  assert.deepEqual(lint(catching('compensated: the document is removed again')), []);
});

test('a missing or too long timeout is found', () => {
  breaks('timeouts', 'ExtractMetadata', /no TimeoutSeconds/, (definition) => {
    delete stateOf(definition, 'ExtractMetadata')['TimeoutSeconds'];
  });
  breaks('timeouts', 'ExtractMetadata', /not longer than that of the function/, (definition) => {
    stateOf(definition, 'ExtractMetadata')['TimeoutSeconds'] = 120;
  });
  breaks('timeouts', 'ExtractMetadata', /not shorter than the machine's/, (definition) => {
    stateOf(definition, 'ExtractMetadata')['TimeoutSeconds'] = 1800;
  });
  breaks('machine-timeout', undefined, /is missing, job-type.ts says 1800/, (definition) => {
    delete definition['TimeoutSeconds'];
  });
});

test('a Retry is of all that is transient, of nothing else, and at a pace', () => {
  const retry = (definition: Definition): Json =>
    stateOf(definition, 'ExtractMetadata').Retry[0] ?? {};
  breaks('transient-retry', 'ExtractMetadata', /leaves out .*Lambda/, (definition) => {
    retry(definition)['ErrorEquals'] = ['Transient', 'States.Timeout', 'States.HeartbeatTimeout'];
  });
  breaks('transient-retry', 'ExtractMetadata', /names Terminal/, (definition) => {
    retry(definition)['ErrorEquals'] = [
      ...(retry(definition)['ErrorEquals'] as string[]),
      'Terminal',
    ];
  });
  breaks('retry-pace', 'ExtractMetadata', /no cap/, (definition) => {
    delete retry(definition)['MaxDelaySeconds'];
  });
  breaks('retry-pace', 'ExtractMetadata', /jitter/, (definition) => {
    delete retry(definition)['JitterStrategy'];
  });
  const rules = lint((definition) => {
    delete (stateOf(definition, 'ExtractMetadata') as Json)['Retry'];
  });
  assert.deepEqual(
    rules.map(({ rule }) => rule),
    ['transient-retry'],
  );
});

test('an error that nobody throws is found', () => {
  breaks('error-names', 'ExtractMetadata', /TransientError/, (definition) => {
    stateOf(definition, 'ExtractMetadata')['Catch'] = [
      { ErrorEquals: ['TransientError'], Next: 'MarkSucceeded' },
    ];
  });
});

test('the retries of an effect span two leases, and at most a minute', () => {
  breaks('effect-retry', 'NotifyIndexed', /wait 3 to 7 s together/, (definition) => {
    Object.assign(stateOf(definition, 'NotifyIndexed').Retry[0] ?? {}, {
      IntervalSeconds: 1,
      MaxAttempts: 2,
    });
  });
  breaks('effect-retry', 'NotifyIndexed', /wait 210 to 230 s together/, (definition) => {
    Object.assign(stateOf(definition, 'NotifyIndexed').Retry[0] ?? {}, {
      MaxAttempts: 10,
      MaxDelaySeconds: 30,
    });
  });
  breaks('retry-pace', 'NotifyIndexed', /its jitter is not NONE/, (definition) => {
    const [retrier] = stateOf(definition, 'NotifyIndexed').Retry;
    // Its waits are certain to be long enough without jitter: only the pace is wrong.
    delete retrier?.['JitterStrategy'];
  });
  const withJitter = lint((definition) => {
    Object.assign(stateOf(definition, 'NotifyIndexed').Retry[0] ?? {}, { JitterStrategy: 'FULL' });
  });
  assert.deepEqual(
    withJitter.map(({ rule, what }) => [rule, what]),
    [
      ['retry-pace', 'its Retry has no cap or backoff, or its jitter is not NONE'],
      ['effect-retry', 'its retries wait 0 to 60 s together'],
    ],
  );
});

test('a task that is not listed, and one that no state calls, are found', () => {
  const { tasks } = sound();
  const listed = tasks.filter(({ name }) => name !== 'notify-indexed');
  const problems = lint(() => undefined, {
    tasks: listed,
    taskFiles: sound().taskFiles.filter(({ name }) => name !== 'notify-indexed'),
  });
  assert.deepEqual(
    problems.map(({ rule, state }) => [rule, state]),
    [['task-names', 'NotifyIndexed']],
  );
  const more = [...tasks, { name: 'call-nobody', timeoutSeconds: 20, memoryMb: 512 }];
  breaks('task-names', undefined, /call-nobody, which no state calls/, () => undefined, {
    tasks: more,
  });
});

test('a polling loop is found once', () => {
  breaks('polling-loop', 'IsSuperseded', /again after/, (definition) => {
    Object.assign(definition.States, {
      WaitForIt: { Type: 'Wait', Seconds: 5, Next: 'IsSuperseded' },
    });
    stateOf(definition, 'IsSuperseded')['Default'] = 'WaitForIt';
    stateOf(definition, 'IsSuperseded')['Choices'] = [
      { Variable: '$.document.superseded', BooleanEquals: true, Next: 'NotifyIndexed' },
    ];
  });
});

test('an execution that is started without a name is found', () => {
  const starting = (parameters: Json) => (definition: Definition) => {
    Object.assign(definition.States, {
      StartChild: {
        Type: 'Task',
        Resource: 'arn:aws:states:::states:startExecution.sync:2',
        Parameters: { StateMachineArn: 'arn:aws:states:us-east-1:1:stateMachine:x', ...parameters },
        TimeoutSeconds: 60,
        Next: 'MarkSucceeded',
      },
    });
    stateOf(definition, 'IsSuperseded')['Default'] = 'StartChild';
    const choices = stateOf(definition, 'IsSuperseded')['Choices'] as Json[];
    Object.assign(choices[0] ?? {}, { Next: 'NotifyIndexed' });
  };
  breaks('unnamed-start', 'StartChild', /without a name/, starting({}));
  assert.deepEqual(lint(starting({ 'Name.$': '$$.Execution.Name' })), []);
});

test('a task without its fence, with another limit, or that passes everything on, is found', () => {
  breaks('fence', 'ExtractMetadata', /redriveCount/, (definition) => {
    const payload = stateOf(definition, 'ExtractMetadata').Parameters['Payload'] as Json;
    delete payload['redriveCount.$'];
  });
  breaks('payload-limit', 'ValidatePayload', /is 5/, (definition) => {
    const payload = stateOf(definition, 'ValidatePayload').Parameters['Payload'] as Json;
    payload['maxPayloadBytes'] = 5;
  });
  breaks('whole-response', 'ExtractMetadata', /whole response/, (definition) => {
    delete stateOf(definition, 'ExtractMetadata')['ResultSelector'];
  });
});

test('a machine that ends without marking its job as succeeded is found', () => {
  breaks('end-without-success', 'Done', /not marked as succeeded/, (definition) => {
    Object.assign(definition.States, { Done: { Type: 'Succeed' } });
    stateOf(definition, 'IsSuperseded')['Default'] = 'Done';
    const choices = stateOf(definition, 'IsSuperseded')['Choices'] as Json[];
    Object.assign(choices[0] ?? {}, { Next: 'NotifyIndexed' });
  });
});

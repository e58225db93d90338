import assert from 'node:assert/strict';
import test from 'node:test';
import { effectiveInput } from '../../../local/stepfunctions/language/effective-input.ts';
import { failOutput } from '../../../local/stepfunctions/language/fail-output.ts';
import {
  finishCatch,
  finishPass,
  finishWithoutResult,
  finishWithResult,
} from '../../../local/stepfunctions/language/finish-state.ts';
import {
  evaluateArguments,
  evaluateTimeoutSeconds,
} from '../../../local/stepfunctions/language/state-arguments.ts';
import { causePrefix, failureOf, scopeOf, stateOf } from './scope-of.ts';

const resource = 'arn:aws:states:::lambda:invoke';
const task = (fields: Parameters<typeof stateOf>[1]) =>
  stateOf('Task', { Resource: resource, End: true, ...fields });

void test('JSONPath: InputPath, Parameters, ResultSelector, ResultPath and OutputPath, in this order', () => {
  const state = task({
    InputPath: '$.in',
    Parameters: { 'x.$': '$.a', 'name.$': '$$.Execution.Name', 'v.$': '$v', fixed: [1, '$.a'] },
    ResultSelector: { 'got.$': '$.Payload' },
    ResultPath: '$.out.here',
    OutputPath: '$.out',
    Assign: { 'raw.$': '$', old: 1 },
  });
  const scope = scopeOf(
    { in: { a: 5 }, out: { kept: 1 } },
    { context: () => ({ Execution: { Name: 'e' } }), variables: { v: 9 } },
  );
  assert.deepEqual(evaluateArguments(state, scope), {
    x: 5,
    name: 'e',
    v: 9,
    fixed: [1, '$.a'],
  });
  assert.deepEqual(finishWithResult(state, scope, { Payload: 7 }), {
    output: { kept: 1, here: { got: 7 } },
    assigned: { raw: { Payload: 7 }, old: 1 },
  });
});

void test('JSONPath is synchronous: nothing waits on the way of a state', () => {
  const finished = finishPass(
    stateOf('Pass', { Parameters: { 'a.$': '$.b' }, End: true }),
    scopeOf({ b: 1 }),
  );
  assert.ok(!(finished instanceof Promise));
  assert.deepEqual(finished, { output: { a: 1 } });
});

void test('null as InputPath or OutputPath is {}, as ResultPath keeps the input', () => {
  assert.deepEqual(
    effectiveInput(stateOf('Wait', { InputPath: null, Seconds: 0, End: true }), scopeOf(5)),
    {},
  );
  const discards = stateOf('Pass', { OutputPath: null, End: true });
  assert.deepEqual(finishPass(discards, scopeOf({ a: 1 })), { output: {} });
  assert.deepEqual(finishWithResult(task({ ResultPath: null }), scopeOf({ a: 1 }), 'gone'), {
    output: { a: 1 },
  });
});

void test('a Pass passes on its Result, its Parameters, or its effective input', async () => {
  const scope = scopeOf({ a: { b: 1 } });
  const pass = (fields: Parameters<typeof stateOf>[1]) =>
    finishPass(stateOf('Pass', { End: true, ...fields }), scope);
  assert.deepEqual(await pass({ Result: null }), { output: null });
  assert.deepEqual(await pass({ Parameters: { 'c.$': '$.a.b' }, ResultPath: '$.d' }), {
    output: { a: { b: 1 }, d: { c: 1 } },
  });
  assert.deepEqual(await pass({ InputPath: '$.a', Assign: { 'x.$': '$.b' } }), {
    output: { b: 1 },
    assigned: { x: 1 },
  });
});

void test('JSONata: Arguments, Output and Assign see input, result and the variables from before', async () => {
  const state = task({
    QueryLanguage: 'JSONata',
    Arguments: { a: '{% $states.input.a %}' },
    Output: { both: '{% [$states.input.a, $states.result] %}', v: '{% $v %}' },
    Assign: { v: '{% $v + 1 %}', w: '{% $v %}' },
  });
  const scope = scopeOf({ a: 1 }, { variables: { v: 5 } });
  assert.deepEqual(await evaluateArguments(state, scope), { a: 1 });
  assert.deepEqual(await finishWithResult(state, scope, 2), {
    output: { both: [1, 2], v: 5 },
    assigned: { v: 6, w: 5 },
  });
});

void test('without Output a JSONata state hands on its result, or its input when it has none', async () => {
  assert.deepEqual(await finishWithResult(task({ QueryLanguage: 'JSONata' }), scopeOf(1), 2), {
    output: 2,
  });
  const succeed = stateOf('Succeed', { QueryLanguage: 'JSONata' });
  assert.deepEqual(await finishWithoutResult(succeed, scopeOf(1)), { output: 1 });
});

void test('a Catcher hands on the error output, at its ResultPath or through its Output', async () => {
  const errorOutput = { Error: 'E', Cause: 'C' };
  const jsonPath = task({
    Catch: [
      { ErrorEquals: ['A'], Next: 'X' },
      { ErrorEquals: ['B'], Next: 'X', ResultPath: '$.error', Assign: { 'cause.$': '$.Cause' } },
    ],
  });
  const [replacing, placing] = jsonPath.catch;
  assert.ok(replacing && placing);
  const scope = scopeOf({ a: 1 });
  assert.deepEqual(await finishCatch(replacing, 'JSONPath', scope, errorOutput), {
    output: errorOutput,
  });
  assert.deepEqual(await finishCatch(placing, 'JSONPath', scope, errorOutput), {
    output: { a: 1, error: errorOutput },
    assigned: { cause: 'C' },
  });
  const jsonata = task({
    QueryLanguage: 'JSONata',
    Catch: [
      {
        ErrorEquals: ['A'],
        Next: 'X',
        Output: '{% $states.errorOutput.Error & $states.input.a %}',
      },
    ],
  });
  const [catcher] = jsonata.catch;
  assert.ok(catcher);
  assert.deepEqual(await finishCatch(catcher, 'JSONata', scope, errorOutput), { output: 'E1' });
});

void test('a path that leads nowhere fails with States.Runtime in the words of its field', async () => {
  const failing = async (run: () => unknown): Promise<string> => {
    const failure = await failureOf(run);
    assert.equal(failure.error, 'States.Runtime');
    assert.equal(failure.evaluation, undefined);
    assert.ok(failure.cause.startsWith(causePrefix), failure.cause);
    return failure.cause.slice(causePrefix.length);
  };
  const scope = scopeOf({ a: 1 });
  assert.equal(
    await failing(() => evaluateArguments(task({ InputPath: '$.b' }), scope)),
    "Invalid path '$.b' : No results for path: $['b']",
  );
  assert.equal(
    await failing(() => evaluateArguments(task({ Parameters: { p: { 'q.$': '$.b.c' } } }), scope)),
    `The JSONPath '$.b.c' specified for the field 'q.$' could not be found in the input '{"a":1}'`,
  );
  assert.equal(
    await failing(() =>
      evaluateTimeoutSeconds(task({ TimeoutSecondsPath: '$.a.b' }), scopeOf({ a: {} })),
    ),
    "Invalid path '$.a.b' : No results for path: $['a']['b']",
  );
  assert.equal(
    await failing(() => failOutput(stateOf('Fail', { ErrorPath: '$.e' }), scope)),
    `The JSONPath '$.e' specified for the field 'ErrorPath' could not be found in the input '{"a":1}'`,
  );
});

void test('an index behind the end of a list is null in a template', () => {
  const state = task({ Parameters: { 'x.$': '$.list[5]' } });
  assert.deepEqual(evaluateArguments(state, scopeOf({ list: [1] })), { x: null });
});

void test('a ResultPath that cannot be applied fails with States.ResultPathMatchFailure', async () => {
  const failure = await failureOf(() =>
    finishWithResult(task({ ResultPath: '$.x' }), scopeOf('text'), 1),
  );
  assert.equal(failure.error, 'States.ResultPathMatchFailure');
  assert.equal(failure.cause, `${causePrefix}Unable to apply ReferencePath $.x to input "text"`);
});

void test('numbers may come as texts by a path, and must be whole and in range', async () => {
  const timeout = (value: unknown) =>
    evaluateTimeoutSeconds(
      task({ TimeoutSecondsPath: '$' }),
      scopeOf(JSON.parse(JSON.stringify(value))),
    );
  assert.equal(await timeout(30), 30);
  assert.equal(await timeout('30'), 30);
  for (const value of ['x', 1.5, {}, null, 0, -1, 100_000_000]) {
    const failure = await failureOf(() => timeout(value));
    assert.equal(failure.error, 'States.Runtime', JSON.stringify(value));
  }
});

void test('an Assign of more than 256 KiB is refused', async () => {
  const state = stateOf('Pass', { Assign: { 'x.$': '$' }, End: true });
  const failure = await failureOf(() => finishPass(state, scopeOf('x'.repeat(256 * 1024))));
  assert.equal(failure.error, 'States.DataLimitExceeded');
});

void test('members named like those of JavaScript objects are data like any other', () => {
  const input = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}');
  const state = stateOf('Pass', {
    Parameters: JSON.parse('{"__proto__":{"y.$":"$.constructor"},"c.$":"$.constructor"}'),
    ResultPath: '$.__proto__.r',
    End: true,
  });
  const finished = finishPass(state, scopeOf(input));
  assert.ok(!(finished instanceof Promise));
  assert.equal(
    JSON.stringify(finished.output),
    '{"__proto__":{"polluted":1,"r":{"__proto__":{"y":2},"c":2}},"constructor":2}',
  );
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

void test('a template that repeats a large input a thousand times is refused before it is written out', async () => {
  const fields = Array.from({ length: 1_000 }, (_, index): [string, string] => [
    `f${index}.$`,
    '$',
  ]);
  const state = task({ Parameters: Object.fromEntries(fields) });
  const failure = await failureOf(() => evaluateArguments(state, scopeOf('x'.repeat(200_000))));
  assert.equal(failure.error, 'States.DataLimitExceeded');
  const list = task({ Parameters: { 'a.$': `States.Array(${'$, '.repeat(1_000)}$)` } });
  const listFailure = await failureOf(() => evaluateArguments(list, scopeOf('x'.repeat(200_000))));
  assert.equal(listFailure.error, 'States.IntrinsicFailure');
});

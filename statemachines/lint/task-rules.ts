import type { LintedMachine, Problem } from './linted-machine.ts';
import {
  argumentsOf,
  functionOf,
  isTask,
  memberOf,
  type NamedState,
  numberIn,
  objectIn,
  textIn,
} from './named-states.ts';

/** Rules about what a Task calls, with what, for how long, and what it passes on. */
export const taskProblems = (machine: LintedMachine): Problem[] =>
  machine.states
    .filter(isTask)
    .flatMap((state) => [
      ...unknownTask(machine, state),
      ...timeouts(machine, state),
      ...(functionOf(state) === undefined
        ? []
        : [...fence(state), ...payloadLimit(machine, state), ...wholeResponse(state)]),
    ]);

function unknownTask({ jobType, taskOf }: LintedMachine, named: NamedState): Problem[] {
  const called = functionOf(named);
  if (called === undefined || taskOf(named) !== undefined) return [];
  return [
    {
      rule: 'task-names',
      state: named.name,
      what: `it calls ${called}, which is no task of this type`,
      why: 'the function is looked up by that name when the machine is deployed',
      mend: `list the task in job-type.ts (it has ${jobType.tasks.map(({ name }) => name).join(', ')}) and write it as \${PascalCase}`,
    },
  ];
}

function timeouts({ jobType, taskOf }: LintedMachine, named: NamedState): Problem[] {
  const { name, state } = named;
  const timeout = numberIn(state, 'TimeoutSeconds');
  const rule = 'timeouts';
  if (timeout === undefined) {
    const why = 'a task that never answers would hold the job until the machine itself times out';
    return [{ rule, state: name, what: 'it has no TimeoutSeconds', why, mend: 'give it one' }];
  }
  const task = taskOf(named);
  const problems: Problem[] = [];
  if (timeout >= jobType.timeoutSeconds) {
    problems.push({
      rule,
      state: name,
      what: `its TimeoutSeconds, ${timeout}, is not shorter than the machine's, ${jobType.timeoutSeconds}`,
      why: 'the machine would time out first, and no Retry of the state ever came',
      mend: 'shorten the one or lengthen the other',
    });
  }
  if (task !== undefined && task.timeoutSeconds >= timeout) {
    problems.push({
      rule,
      state: name,
      what: `its TimeoutSeconds, ${timeout}, is not longer than that of the function ${task.name}, ${task.timeoutSeconds}`,
      why: 'the state would call it again while the first call is still at work',
      mend: 'lengthen TimeoutSeconds, or shorten timeoutSeconds of the task in job-type.ts',
    });
  }
  return problems;
}

/** What the fence is made of, from the execution's own context object. */
const head: Readonly<Record<string, string>> = {
  'jobId.$': '$$.Execution.Input.jobId',
  'type.$': '$$.Execution.Input.type',
  'executionName.$': '$$.Execution.Name',
  'redriveCount.$': '$$.Execution.RedriveCount',
  'state.$': '$$.State.Name',
};

function fence({ name, state, isTopLevel }: NamedState): Problem[] {
  const payload = objectIn(argumentsOf(state), 'Payload');
  const wrong = Object.entries(head).filter(([field, path]) => {
    const given = textIn(payload, field);
    // A child of a distributed Map has it from its parent, by ItemSelector.
    return given !== path && (isTopLevel || given?.startsWith('$.') !== true);
  });
  if (wrong.length === 0) return [];
  return [
    {
      rule: 'fence',
      state: name,
      what: `its Payload has no ${wrong.map(([field, path]) => `"${field}": "${path}"`).join(', ')}`,
      why: 'a task writes under execution name and redrive count: without them an old execution could overwrite a new one',
      mend: 'write these lines into Payload; in a distributed Map pass them by ItemSelector',
    },
  ];
}

function payloadLimit({ jobType }: LintedMachine, named: NamedState): Problem[] {
  if (functionOf(named) !== '${ValidatePayload}') return [];
  const given = memberOf(memberOf(argumentsOf(named.state), 'Payload'), 'maxPayloadBytes');
  if (given === jobType.maxPayloadBytes) return [];
  return [
    {
      rule: 'payload-limit',
      state: named.name,
      what: `its maxPayloadBytes is ${String(given)}, job-type.ts says ${jobType.maxPayloadBytes}`,
      why: 'the API would take payloads that the job then refuses, or the other way round',
      mend: `pass "maxPayloadBytes": ${jobType.maxPayloadBytes}`,
    },
  ];
}

function wholeResponse({ name, state }: NamedState): Problem[] {
  const isSelected =
    memberOf(state, 'ResultSelector') !== undefined ||
    memberOf(state, 'ResultPath') === null ||
    memberOf(state, 'Output') !== undefined;
  if (isSelected || textIn(state, 'Resource')?.endsWith('.waitForTaskToken') === true) return [];
  return [
    {
      rule: 'whole-response',
      state: name,
      what: 'it passes on the whole response of lambda:invoke',
      why: 'status code, headers and payload grow the state; no state passes on more than 32 KiB',
      mend: 'take what is needed by "ResultSelector", or write "ResultPath": null',
    },
  ];
}

import type { LintedMachine, Problem } from './linted-machine.ts';
import { substitutionOf } from '../job-type.ts';
import {
  argumentsOf,
  functionOf,
  memberOf,
  type NamedState,
  numberIn,
  objectsIn,
  successorsOf,
  textIn,
} from './named-states.ts';

/** Rules about the machine and the way from state to state. */
export const machineProblems = (machine: LintedMachine): Problem[] => [
  ...machineTimeout(machine),
  ...unusedTasks(machine),
  ...machine.states.flatMap((state) => [
    ...catchToFail(state),
    ...loop(state),
    ...unnamedStart(state),
    ...endWithoutSuccess(state),
  ]),
];

function machineTimeout({ jobType, definition }: LintedMachine): Problem[] {
  const timeout = numberIn(definition, 'TimeoutSeconds');
  if (timeout === jobType.timeoutSeconds) return [];
  return [
    {
      rule: 'machine-timeout',
      what: `the machine's TimeoutSeconds is ${timeout ?? 'missing'}, job-type.ts says ${jobType.timeoutSeconds}`,
      why: 'without it an execution that hangs runs for a year; the reconciler looks for a job by what job-type.ts says',
      mend: `write "TimeoutSeconds": ${jobType.timeoutSeconds} beside StartAt, or change job-type.ts`,
    },
  ];
}

function unusedTasks({ jobType, states }: LintedMachine): Problem[] {
  const called = new Set(states.map(functionOf));
  return jobType.tasks
    .filter(({ name }) => !called.has(`\${${substitutionOf(name)}}`))
    .map(({ name }) => ({
      rule: 'task-names',
      what: `job-type.ts lists the task ${name}, which no state calls`,
      why: 'each listed task is a Lambda function that is deployed and paid for',
      mend: `call it as "FunctionName": "\${${substitutionOf(name)}}", or take it off the list`,
    }));
}

/** Marks the one exception: a business rejection whose doings were undone. */
const isCompensated = (fail: unknown): boolean => /compensat/i.test(textIn(fail, 'Comment') ?? '');

function catchToFail({ name, state, siblings }: NamedState): Problem[] {
  return objectsIn(state, 'Catch')
    .map((catcher) => textIn(catcher, 'Next') ?? '')
    .filter((next) => {
      const target = memberOf(siblings, next);
      return memberOf(target, 'Type') === 'Fail' && !isCompensated(target);
    })
    .map((next) => ({
      rule: 'catch-to-fail',
      state: name,
      what: `its Catch goes to ${next}, a Fail state`,
      why: 'a caught state has succeeded: a redrive runs only the Fail state again, and never the work',
      mend: `take the Catch away, so that ${name} itself fails. Where what was done has been undone on the way, say so in the Comment of ${next} ("compensated: …"): it is restarted, not resumed`,
    }));
}

/** A state that can be reached from itself; told once, of the first state of the cycle. */
function loop({ name, siblings }: NamedState): Problem[] {
  const names = Object.keys(siblings);
  const cycle = reachable(name, siblings).filter((other) =>
    reachable(other, siblings).includes(name),
  );
  if (!cycle.includes(name)) return [];
  if (names.find((other) => cycle.includes(other)) !== name) return [];
  return [
    {
      rule: 'polling-loop',
      state: name,
      what: `it comes again after ${cycle.filter((other) => other !== name).join(', ') || 'itself'}`,
      why: 'each round costs transitions and history, which ends at 25,000 events; and a redrive resumes somewhere in the loop',
      mend: 'wait by .waitForTaskToken or .sync, let Retry repeat what failed for a while, and do lists by Map',
    },
  ];
}

function reachable(from: string, siblings: unknown): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    for (const next of successorsOf(Object(memberOf(siblings, name)))) {
      if (seen.has(next)) continue;
      seen.add(next);
      visit(next);
    }
  };
  visit(from);
  return [...seen];
}

function unnamedStart({ name, state }: NamedState): Problem[] {
  const resource = textIn(state, 'Resource') ?? '';
  if (!/:states:startExecution|:aws-sdk:sfn:startExecution/i.test(resource)) return [];
  const given = argumentsOf(state);
  if (memberOf(given, 'Name') !== undefined || memberOf(given, 'Name.$') !== undefined) return [];
  return [
    {
      rule: 'unnamed-start',
      state: name,
      what: 'it starts an execution without a name',
      why: 'each attempt starts another one: a name is what makes a second start the same execution',
      mend: 'pass "Name.$" made of $$.Execution.Name and what the child is about',
    },
  ];
}

function endWithoutSuccess(named: NamedState): Problem[] {
  const { name, state, isTopLevel } = named;
  const isEnd = memberOf(state, 'End') === true || memberOf(state, 'Type') === 'Succeed';
  if (!isTopLevel || !isEnd || functionOf(named) === '${MarkSucceeded}') return [];
  return [
    {
      rule: 'end-without-success',
      state: name,
      what: 'the execution ends here, and the job is not marked as succeeded',
      why: 'a job whose execution has ended without that is FAILED with EXECUTION_LOST',
      mend: 'let the last state call ${MarkSucceeded} with the result',
    },
  ];
}

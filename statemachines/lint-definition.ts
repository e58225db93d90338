import { readFileSync } from 'node:fs';
import { substitutionOf } from './job-type.ts';
import type { RegisteredJobType } from './registry.ts';
import { machineProblems } from './lint/machine-rules.ts';
import type { EffectLogPace, LintedMachine, Problem } from './lint/linted-machine.ts';
import { asObject, functionOf, type NamedState, namedStates } from './lint/named-states.ts';
import { retryProblems } from './lint/retry-rules.ts';
import { taskProblems } from './lint/task-rules.ts';

/**
 * What a definition does against the rules by which executions can be redriven and nothing is done twice; none where it
 * is in order. Whether it is valid ASL is another question, which Step Functions answers.
 */
export function lintDefinition(jobType: RegisteredJobType, effectLog: EffectLogPace): Problem[] {
  const definition = asObject(JSON.parse(jobType.definition));
  const machine: LintedMachine = {
    jobType,
    definition,
    states: namedStates(definition),
    taskOf: (state) => taskOf(jobType, state),
    callsProvider: (state) => callsProvider(jobType, state),
    effectLog,
  };
  return [...machineProblems(machine), ...taskProblems(machine), ...retryProblems(machine)];
}

/** Whether the state's task goes through the effect log. */
export function callsProvider(jobType: RegisteredJobType, state: NamedState): boolean {
  const file = taskOf(jobType, state)?.file;
  return file !== undefined && /callProvider|sendMail/.test(readFileSync(file, 'utf8'));
}

const taskOf = ({ taskFiles }: RegisteredJobType, state: NamedState) =>
  taskFiles.find(({ name }) => functionOf(state) === `\${${substitutionOf(name)}}`);

/** A problem in a few lines for a terminal. */
export const describeProblem = ({ rule, state, what, why, mend }: Problem): string =>
  [
    `${state === undefined ? '' : `${state}: `}${what} (${rule})`,
    `  why:  ${why}`,
    `  mend: ${mend}`,
  ].join('\n');

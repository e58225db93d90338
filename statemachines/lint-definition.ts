import { readFileSync } from 'node:fs';
import { substitutionOf } from './job-type.ts';
import type { RegisteredJobType } from './registry.ts';
import { machineProblems } from './lint/machine-rules.ts';
import type { LintedMachine, Problem } from './lint/linted-machine.ts';
import { asObject, functionOf, type NamedState, namedStates } from './lint/named-states.ts';
import { retryProblems } from './lint/retry-rules.ts';
import { taskProblems } from './lint/task-rules.ts';

/**
 * What a definition does against the rules by which executions can be redriven and nothing is done twice; none where it
 * is in order. Whether it is valid ASL is another question, which Step Functions answers.
 */
export function lintDefinition(
  jobType: RegisteredJobType,
  { effectLeaseSeconds }: { readonly effectLeaseSeconds: number },
): Problem[] {
  const definition = asObject(JSON.parse(jobType.definition));
  const fileOf = new Map(
    jobType.taskFiles.map((task) => [`\${${substitutionOf(task.name)}}`, task]),
  );
  const taskOf = (state: NamedState) => fileOf.get(functionOf(state) ?? '');
  const machine: LintedMachine = {
    jobType,
    definition,
    states: namedStates(definition),
    taskOf,
    callsProvider: (state) => {
      const file = fileOf.get(functionOf(state) ?? '')?.file;
      return file !== undefined && /callProvider|sendMail/.test(readFileSync(file, 'utf8'));
    },
    effectLeaseSeconds,
  };
  return [...machineProblems(machine), ...taskProblems(machine), ...retryProblems(machine)];
}

/** A problem in a few lines for a terminal. */
export const describeProblem = ({ rule, state, what, why, mend }: Problem): string =>
  [
    `${state === undefined ? '' : `${state}: `}${what} (${rule})`,
    `  why:  ${why}`,
    `  mend: ${mend}`,
  ].join('\n');

// The definitions of all job types, and of those in folders given as arguments: what Step Functions would refuse, and
// what goes against our own rules. Prints what is wrong, why and how it is mended, and exits non-zero then.
import { effectLogPace } from '../jobs/effect-log.ts';
import { validateDefinition } from '../local/stepfunctions/definition/validate-definition.ts';
import { functionNameOf } from '../statemachines/job-type.ts';
import { describeProblem, lintDefinition } from '../statemachines/lint-definition.ts';
import { loadJobTypes, type RegisteredJobType } from '../statemachines/registry.ts';

let found = 0;
for (const jobType of (await loadJobTypes(process.argv.slice(2))).values()) {
  for (const problem of [...ruleProblems(jobType), ...aslProblems(jobType)]) {
    found += 1;
    console.error(`${jobType.folder}/definition.asl.json\n${problem}\n`);
  }
}
process.exitCode = found === 0 ? 0 : 1;

function ruleProblems(jobType: RegisteredJobType): string[] {
  return lintDefinition(jobType, effectLogPace).map(describeProblem);
}

function aslProblems(jobType: RegisteredJobType): string[] {
  // An unknown task is told above, with what to do about it.
  const resolved = jobType.definition.replaceAll(
    /\$\{([A-Za-z0-9]+)\}/g,
    (_, name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${functionNameOf(name)}`,
  );
  const { diagnostics } = validateDefinition(resolved, { type: 'STANDARD' });
  return diagnostics.map(({ message, location }) => `${location ?? ''} ${message} (asl)`.trim());
}

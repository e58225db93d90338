import { CfnParameter, type Stack } from 'aws-cdk-lib';
import { documentedVariables } from '../jobs/config.ts';

export type Variables = Readonly<Record<string, string>>;

/** Which variables stand in the secret instead: keys of third parties, and addresses that hold passwords. */
const isSecret = (name: string): boolean => /_(SECRET|PASSWORD|TOKEN|KEY)$|^SMTP_URL$/.test(name);

/** What one process must be told, by jobs/config.ts. */
const requiredBy = (process: string): readonly { name: string; means: string }[] =>
  documentedVariables().filter(
    ({ readBy, fallback }) => readBy.includes(process) && fallback === undefined,
  );

/** The variables that a person gives at a deployment: those of tasks that no stack knows and that are no secrets. */
export function deploymentParameters(stack: Stack, known: ReadonlySet<string>): Variables {
  const asked = requiredBy('tasks').filter(({ name }) => !known.has(name) && !isSecret(name));
  return Object.fromEntries(
    asked.map(({ name, means }) => {
      const parameter = new CfnParameter(stack, parameterName(name), {
        type: 'String',
        minLength: 1,
        description: `${name}: ${means}`,
      });
      return [name, parameter.valueAsString];
    }),
  );
}

/** Without a default that would do on AWS, though on one machine there is one. */
const neededOnAws = ['EMAIL_FROM'];
/** Empty unless a person gives them: a process takes an empty variable as one that is not set. */
const givenAtWill = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'CORS_ORIGINS'];

/** More variables that a person gives at a deployment, of those that the processes of a stack read. */
export function optionalParameters(stack: Stack, ...processes: readonly string[]): Variables {
  const read = documentedVariables().filter(
    ({ name, readBy }) =>
      [...neededOnAws, ...givenAtWill].includes(name) &&
      processes.some((process) => readBy.includes(process)),
  );
  return Object.fromEntries(
    read.map(({ name, means }) => {
      const parameter = new CfnParameter(stack, parameterName(name), {
        type: 'String',
        description: `${name}: ${means}`,
        ...(neededOnAws.includes(name) ? { minLength: 1 } : { default: '' }),
      });
      return [name, parameter.valueAsString];
    }),
  );
}

/** `WEBHOOK_URL` as CloudFormation wants a parameter's name: `WebhookUrl`. */
export const parameterName = (variable: string): string =>
  variable
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Secrets that a person fills in before the first job. */
export const requiredSecrets = (): readonly string[] =>
  [...requiredBy('api'), ...requiredBy('worker'), ...requiredBy('tasks')]
    .map(({ name }) => name)
    .filter((name, index, all) => isSecret(name) && all.indexOf(name) === index);

/** Throws where a process would refuse to start for want of a variable: at synthesis, not at 3 a.m. */
export function assertComplete(process: string, variables: Variables): Variables {
  const missing = requiredBy(process).filter(({ name }) => !(name in variables) && !isSecret(name));
  if (missing.length === 0) return variables;
  const list = missing.map(({ name, means }) => `${name} (${means})`).join(', ');
  throw new Error(`${process} needs variables that infra/ does not set: ${list}`);
}

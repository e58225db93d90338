import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { classifyingAws } from './classify.ts';
import { Terminal } from './failure.ts';
import { jsonObject } from './json-object.ts';

/**
 * The fields of a secret in AWS Secrets Manager, a flat JSON object, as variables of jobs/config.ts. For Lambda
 * functions: their environment is shown to everyone who may read their configuration.
 */
export async function readSecretSettings(
  arn: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (arn === undefined) return {};
  const client = new SecretsManagerClient({
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 },
  });
  try {
    const command = new GetSecretValueCommand({ SecretId: arn });
    const { SecretString } = await classifyingAws(() => client.send(command));
    const fields = jsonObject(SecretString ?? '');
    if (fields === undefined) {
      throw new Terminal('TASK_FAULT', `the secret ${arn} is not a JSON object of variables`);
    }
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  } finally {
    client.destroy();
  }
}

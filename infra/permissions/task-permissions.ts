import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { MessagingStack } from '../messaging-stack.ts';

/** Payloads of all tenants, and what the job types of this task wrote themselves. */
type Target = 'readable' | 'own';

/** What each command of the AWS SDK needs: https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html */
const needs: Readonly<
  Record<string, { readonly actions: readonly string[]; readonly on: Target }>
> = {
  'client-s3:GetObject': { actions: ['s3:GetObject', 's3:GetObjectVersion'], on: 'readable' },
  'client-s3:HeadObject': { actions: ['s3:GetObject', 's3:GetObjectVersion'], on: 'readable' },
  'client-s3:PutObject': { actions: ['s3:PutObject'], on: 'own' },
  'client-s3:CreateMultipartUpload': { actions: ['s3:PutObject'], on: 'own' },
  'client-s3:UploadPart': { actions: ['s3:PutObject'], on: 'own' },
  'client-s3:CompleteMultipartUpload': { actions: ['s3:PutObject'], on: 'own' },
  'client-s3:AbortMultipartUpload': { actions: ['s3:AbortMultipartUpload'], on: 'own' },
};

/** In every bundle: the S3 client asks for sessions of directory buckets only, and every function reads its secrets. */
const grantedElsewhere = new Set([
  'client-s3:CreateSession',
  'client-secrets-manager:GetSecretValue',
]);

/**
 * What a task may do in S3: the commands that its bundle holds, each on what it works with and nothing else. A task
 * without GetObject in its code cannot read a payload.
 *
 * Payloads stand under `payloads/`; what the tasks of a job type write, under `jobs/<type>/`.
 * Throws for a command that has no line here.
 */
export function taskStatements(
  commands: ReadonlySet<string>,
  messaging: Pick<MessagingStack, 'objectsArn'>,
  types: readonly string[],
): PolicyStatement[] {
  const own = types.map((type) => messaging.objectsArn(`jobs/${type}/*`));
  const resources = { readable: [messaging.objectsArn('payloads/*'), ...own], own };
  return (['readable', 'own'] as const).flatMap((target) => {
    const actions = actionsOn(target, commands);
    return actions.length === 0
      ? []
      : [new PolicyStatement({ actions, resources: resources[target] })];
  });
}

function actionsOn(target: Target, commands: ReadonlySet<string>): string[] {
  const found = [...commands]
    .filter((command) => !grantedElsewhere.has(command))
    .map((command) => {
      const need = needs[command];
      if (need !== undefined) return need;
      throw new Error(
        `a task calls ${command}: say in infra/permissions/task-permissions.ts what it needs and on what`,
      );
    })
    .filter(({ on }) => on === target)
    .flatMap(({ actions }) => actions);
  return [...new Set(found)].sort();
}

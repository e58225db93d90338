import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedCall } from '../support/aws-actions.ts';
import type { Stage } from '../../infra/stages.ts';
import { accountId, region } from './account.ts';

/** One permission that a component has been seen to need, with the names of the template. */
export type Need = {
  /** `api`, `worker`, the name of a function, or `machine <type>`. */
  readonly component: string;
  readonly action: string;
  readonly resource: string;
};

const arnOf = (service: string, resource: string): string =>
  `arn:aws:${service}:${region}:${accountId}:${resource}`;
const buckets: Readonly<Record<string, string>> = {
  'pawl-payloads': `pawl-payloads-${accountId}-${region}`,
};
export const objectArn = (key: string): string => `arn:aws:s3:::${buckets['pawl-payloads']}/${key}`;

/** Everything that was recorded into a folder, each need once. Throws where nothing was. */
export function recordedNeeds(folder: string): Need[] {
  const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '');
  if (lines.length === 0) throw new Error(`no process wrote its AWS calls into ${folder}`);
  const needs = [...new Set(lines)].flatMap((line) => needOf(JSON.parse(line) as RecordedCall));
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
}

function needOf(call: RecordedCall): Need[] {
  const component = call.component === 'step-functions' ? machineOf(call) : call.component;
  if (component === undefined) return [];
  return [{ component, action: call.action, resource: templateResource(call) }];
}

/** Of what Step Functions does, a machine's role is asked for objects only; its events are AWS' own. */
function machineOf({ action, resource }: RecordedCall): string | undefined {
  const type = /^[^/]+\/jobs\/([^/]+)\//.exec(resource)?.[1];
  return action.startsWith('s3:') && type !== undefined ? `machine ${type}` : undefined;
}

function templateResource({ action, resource }: RecordedCall): string {
  const [service = ''] = action.split(':');
  switch (service) {
    case 'sqs':
      return arnOf('sqs', `pawl-${resource}`);
    case 'states':
      // An alias is asked about by its machine's ARN.
      return resource.replace(/(:stateMachine:[^:]+):\w+$/, '$1');
    case 's3': {
      const [bucket = '', ...key] = resource.split('/');
      return `arn:aws:s3:::${[buckets[bucket] ?? bucket, ...key].join('/')}`;
    }
    case 'events':
      return eventsResource(action, resource);
    default:
      throw new Error(`${action} on ${resource}: say in needed.ts what that needs`);
  }
}

/** The bus that EVENT_BUS_NAME names is the account's own on this machine; replays are from its archive. */
function eventsResource(action: string, resource: string): string {
  const resources: Readonly<Record<string, string>> = {
    'events:PutEvents': arnOf('events', 'event-bus/pawl'),
    'events:StartReplay': arnOf('events', 'archive/pawl'),
    'events:CancelReplay': arnOf('events', `replay/${resource}`),
  };
  return resources[action] ?? '*';
}

/**
 * What no recording shows: the database login (of functions through RDS Proxy, where the stage has one), the secrets, and
 * what others do with addresses that the API signed.
 */
export function unseenNeeds(functions: readonly string[], { database }: Stage): Need[] {
  const userOf = (resourceId: string): string => arnOf('rds-db', `dbuser:${resourceId}/pawl`);
  const login = (component: string): string =>
    database.proxy && functions.includes(component)
      ? userOf('prx-RESOURCE')
      : userOf('db-RESOURCE');
  const settings = arnOf('secretsmanager', 'secret:pawl/settings');
  const loggedIn = ['api', 'worker', ...functions.filter((name) => name !== 'migrate')];
  const withSecrets = loggedIn.filter((name) => name !== 'dispatch');
  return [
    ...loggedIn.map((component) => ({
      component,
      action: 'rds-db:connect',
      resource: login(component),
    })),
    ...withSecrets.map((component) => ({
      component,
      action: 'secretsmanager:GetSecretValue',
      resource: settings,
    })),
    { component: 'api', action: 's3:PutObject', resource: objectArn('payloads/t/1') },
    // Completing an upload in parts (test/api/multipart-uploads.test.ts, inside of the test's process).
    {
      component: 'api',
      action: 's3:ListMultipartUploadParts',
      resource: objectArn('payloads/t/1'),
    },
    {
      component: 'api',
      action: 's3:GetObjectVersion',
      resource: objectArn('jobs/batch-import/t/1'),
    },
    {
      component: 'migrate',
      action: 'secretsmanager:GetSecretValue',
      resource: arnOf('secretsmanager', 'secret:rds!db'),
    },
  ];
}

import { accountId, region } from './account.ts';
import type { RecordedCall } from './record-aws-calls.ts';

/** One permission that a component has been seen to need. */
export type Need = {
  /** `api`, `worker`, or the name of a function. */
  readonly component: string;
  readonly action: string;
  readonly resource: string;
};

/** A batch is asked about as its single action. */
const batches: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/** The names of this machine's queues and bucket, as the template has them. */
const queueArn = (url: unknown): string =>
  `arn:aws:sqs:${region}:${accountId}:pawl-${String(url).split('/').at(-1) ?? ''}`;
export const objectArn = (key: string): string =>
  `arn:aws:s3:::pawl-payloads-${accountId}-${region}/${key}`;

/** What a recorded call needs; undefined where it was not one of Pawl's own components that made it. */
export function needOf(
  call: RecordedCall,
  functionOf: (stack: string) => string | undefined,
): Need | undefined {
  const component = componentOf(call) ?? functionOf(call.stack);
  if (component === undefined) return undefined;
  switch (call.service) {
    case 'sqs':
    case 'states':
      return { component, ...ofJsonService(call) };
    case 'events':
      return { component, ...ofEvents(call) };
    case 's3':
      return { component, ...ofS3(call) };
    default:
      throw new Error(`${component} calls ${call.service}: say in needed.ts what that needs`);
  }
}

function componentOf({ script }: RecordedCall): string | undefined {
  if (script.endsWith('/api/server.ts')) return 'api';
  return script.endsWith('/worker/server.ts') ? 'worker' : undefined;
}

function ofJsonService({ service, target, body }: RecordedCall) {
  const operation = target.split('.').at(-1) ?? '';
  const request: Record<string, unknown> = JSON.parse(body);
  const action = `${service}:${batches[operation] ?? operation}`;
  if (service === 'sqs') return { action, resource: queueArn(request['QueueUrl']) };
  const arn = [request['executionArn'], request['stateMachineArn'], request['mapRunArn']].find(
    (value) => typeof value === 'string',
  );
  // An alias is asked about by its machine's ARN.
  return { action, resource: (arn ?? '*').replace(/(:stateMachine:[^:]+):\w+$/, '$1') };
}

/** To the bus that EVENT_BUS_NAME names, which on this machine is the account's own; replays from its archive. */
function ofEvents({ target, body }: RecordedCall) {
  const operation = target.split('.').at(-1) ?? '';
  const resources: Readonly<Record<string, string>> = {
    PutEvents: 'event-bus/pawl',
    StartReplay: 'archive/pawl',
    CancelReplay: `replay/${String(JSON.parse(body)['ReplayName'])}`,
  };
  const resource = resources[operation];
  return {
    action: `events:${operation}`,
    resource: resource === undefined ? '*' : `arn:aws:events:${region}:${accountId}:${resource}`,
  };
}

function ofS3({ method, path }: RecordedCall) {
  const url = new URL(path, 'http://s3');
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const resource = objectArn(key);
  const version = url.searchParams.has('versionId') ? 'Version' : '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      return { action: `s3:GetObject${version}`, resource };
    case 'PUT':
    case 'POST':
      return { action: 's3:PutObject', resource };
    default:
      throw new Error(`${method} ${path} of S3: say in needed.ts what that needs`);
  }
}

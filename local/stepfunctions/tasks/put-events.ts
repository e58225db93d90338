import { toText } from '../execution/json-text.ts';
import { ownerArn } from '../execution/map-run-arn.ts';
import { isJsonObject, type Json } from '../language/json.ts';
import type { SdkCaller } from './aws-sdk-client.ts';
import { callOptimized, parametersOf, withoutNulls } from './optimized-integration.ts';
import { TaskError, type TaskDriver } from './task-call.ts';

const NAMES = { error: 'EventBridge', service: 'AmazonEventBridge' };

/**
 * `events:putEvents`: Detail may be an object; the execution's and the state machine's ARN are
 * added to the Resources of every entry; a refused entry fails the task.
 * https://docs.aws.amazon.com/step-functions/latest/dg/connect-eventbridge.html
 */
export function putEventsDriver(sdk: SdkCaller): TaskDriver {
  return {
    async call(call) {
      const parameters = withoutNulls(parametersOf(call));
      const { Entries: entries } = parameters;
      const resources = [call.executionArn, machineArnOf(call.executionArn)];
      const output = await callOptimized(sdk, 'eventbridge', NAMES, call, {
        ...parameters,
        ...(Array.isArray(entries) && {
          Entries: entries.map((entry) => completeEntry(entry, resources)),
        }),
      });
      if (Number(output['FailedEntryCount'] ?? 0) === 0) return output;
      throw new TaskError('EventBridge.FailedEntry', toText(output));
    },
  };
}

function completeEntry(entry: Json, resources: string[]): unknown {
  if (!isJsonObject(entry)) return entry;
  const { Detail: detail, Resources: given, Time: time, ...rest } = entry;
  return {
    ...rest,
    ...(detail !== undefined && { Detail: typeof detail === 'string' ? detail : toText(detail) }),
    // The SDK wants a Date; as JSON it is a text or epoch seconds.
    ...(time !== undefined && { Time: toDate(time) }),
    Resources: [...(Array.isArray(given) ? given : []), ...resources],
  };
}

function toDate(time: Json): Date {
  return typeof time === 'number'
    ? new Date(time * 1000)
    : new Date(typeof time === 'string' ? time : Number.NaN);
}

function machineArnOf(executionArn: string): string {
  const [arn = '', partition = '', service = '', region = '', account = '', , machine = ''] =
    executionArn.split(':');
  return ownerArn([arn, partition, service, region, account, 'stateMachine', machine].join(':'));
}

import { toText } from '../execution/json-text.ts';
import type { SdkCaller } from './aws-sdk-client.ts';
import { callOptimized, parametersOf, withoutNulls } from './optimized-integration.ts';
import type { TaskDriver } from './task-call.ts';

/**
 * `sqs:sendMessage`; a MessageBody that is no text is sent as its JSON.
 * https://docs.aws.amazon.com/step-functions/latest/dg/connect-sqs.html
 */
export function sendMessageDriver(sdk: SdkCaller): TaskDriver {
  return {
    call(call) {
      const parameters = withoutNulls(parametersOf(call));
      const { MessageBody: body } = parameters;
      const sent =
        body === undefined || typeof body === 'string'
          ? parameters
          : { ...parameters, MessageBody: toText(body) };
      return callOptimized(sdk, 'sqs', { error: 'SQS', service: 'AmazonSQS' }, call, sent);
    },
  };
}

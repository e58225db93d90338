import { toText } from '../execution/json-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import { optimizedError, parametersOf } from './optimized-integration.ts';
import { sdkMetadata } from './sdk-metadata.ts';
import { TaskError, type TaskCall, type TaskDriver } from './task-call.ts';

const NAMES = { error: 'SNS', service: 'AmazonSNS' };
/** The errors of the service's model. */
const MODELLED = [
  'AuthorizationError',
  'EndpointDisabled',
  'InternalError',
  'InvalidParameter',
  'InvalidParameterValue',
  'NotFound',
  'PlatformApplicationDisabled',
  'InvalidSecurity',
  'ValidationException',
];

/**
 * `sns:publish` over the Query protocol: no client for SNS is installed, so there must be an
 * endpoint, and requests are not signed.
 * https://docs.aws.amazon.com/step-functions/latest/dg/connect-sns.html
 */
export function publishDriver(endpoint: string | undefined): TaskDriver {
  return {
    async call(call) {
      if (endpoint === undefined) {
        throw new TaskError(
          'SNS.SdkClientException',
          'There is no endpoint for SNS: set AWS_ENDPOINT_URL_SNS.',
        );
      }
      const { status, text, headers } = await post(endpoint, call);
      const requestId = textBetween(text, 'RequestId') ?? headers['x-amzn-requestid'] ?? '';
      if (status < 300) {
        const sequence = textBetween(text, 'SequenceNumber');
        return {
          MessageId: textBetween(text, 'MessageId') ?? '',
          ...(sequence !== undefined && { SequenceNumber: sequence }),
          ...sdkMetadata({ status, requestId, headers }),
        };
      }
      const name = textBetween(text, 'Code') ?? 'InternalError';
      throw optimizedError(NAMES, {
        kind: 'refused',
        name,
        isModelled: MODELLED.includes(name),
        message: textBetween(text, 'Message') ?? text,
        status,
        requestId,
      });
    },
  };
}

async function post(
  endpoint: string,
  call: TaskCall,
): Promise<{ status: number; text: string; headers: Record<string, string> }> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
        // Which service is meant: a stand-in may serve several on one port.
        Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${call.region}/sns/aws4_request, SignedHeaders=host, Signature=none`,
      },
      body: queryOf(parametersOf(call)),
      signal: call.signal,
    });
    return {
      status: response.status,
      text: await response.text(),
      headers: Object.fromEntries(response.headers),
    };
  } catch (error) {
    throw optimizedError(NAMES, { kind: 'unreachable', message: reasonOf(error) });
  }
}

/** fetch keeps the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function queryOf(parameters: JsonObject): URLSearchParams {
  const query = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) continue;
    if (name === 'MessageAttributes' && isJsonObject(value)) addAttributes(query, value);
    else query.set(name, typeof value === 'string' ? value : toText(value));
  }
  return query;
}

function addAttributes(query: URLSearchParams, attributes: JsonObject): void {
  Object.entries(attributes).forEach(([name, attribute], index) => {
    const prefix = `MessageAttributes.entry.${index + 1}`;
    query.set(`${prefix}.Name`, name);
    if (!isJsonObject(attribute)) return;
    for (const member of ['DataType', 'StringValue', 'BinaryValue']) {
      const value: Json | undefined = attribute[member];
      if (typeof value === 'string') query.set(`${prefix}.Value.${member}`, value);
    }
  });
}

function textBetween(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

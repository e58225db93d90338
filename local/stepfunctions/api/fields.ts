import { flag, integer, list, oneOf, optional, structure, text } from './shape.ts';

/**
 * Members that several operations share, with the limits of the service model.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html
 */
export const arn = text({ min: 1, max: 256 });
export const longArn = text({ min: 1, max: 2000 });
export const name = text({ min: 1, max: 80 });
export const definition = text({ min: 1, max: 1_048_576 });
export const data = text({ max: 262_144 });
export const maxResults = integer({ min: 0, max: 1000 });
export const pageToken = text({ min: 1, max: 1024 });
export const description = text({ max: 256 });
export const revisionId = text();
export const error = text({ max: 256 });
export const cause = text({ max: 32_768 });
export const taskToken = text({ min: 1, max: 2048 });
export const traceHeader = text({ max: 256 });

export const tag = structure({ key: text({ min: 1, max: 128 }), value: text({ max: 256 }) }, 'Tag');
export const tags = list(tag);

export const loggingConfiguration = structure(
  {
    level: optional(oneOf(['ALL', 'ERROR', 'FATAL', 'OFF'])),
    includeExecutionData: optional(flag),
    destinations: optional(
      list(
        structure(
          {
            cloudWatchLogsLogGroup: optional(
              structure({ logGroupArn: optional(arn) }, 'CloudWatchLogsLogGroup'),
            ),
          },
          'LogDestination',
        ),
      ),
    ),
  },
  'LoggingConfiguration',
);
export const tracingConfiguration = structure({ enabled: optional(flag) }, 'TracingConfiguration');
export const encryptionConfiguration = structure(
  {
    type: oneOf(['AWS_OWNED_KEY', 'CUSTOMER_MANAGED_KMS_KEY']),
    kmsKeyId: optional(text({ min: 1, max: 2048 })),
    kmsDataKeyReusePeriodSeconds: optional(integer({ min: 60, max: 900 })),
  },
  'EncryptionConfiguration',
);
export const routingConfiguration = list(
  structure(
    { stateMachineVersionArn: arn, weight: integer({ min: 0, max: 100 }) },
    'RoutingConfigurationListItem',
  ),
  { min: 1, max: 2 },
);
export const machineType = oneOf(['STANDARD', 'EXPRESS']);
export const includedData = oneOf(['ALL_DATA', 'METADATA_ONLY']);

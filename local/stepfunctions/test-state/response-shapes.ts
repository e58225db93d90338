/**
 * What the APIs that Tasks call answer, as far as a mock is held against it: the response shapes of AWS's
 * service models, in the spelling of Step Functions (names begin with a capital, times are texts).
 */
export type Shape =
  | { readonly type: 'any' | 'boolean' }
  | {
      readonly type: 'string';
      readonly least?: number;
      readonly most?: number;
      readonly values?: readonly string[];
    }
  | { readonly type: 'number'; readonly least?: number; readonly most?: number }
  | { readonly type: 'array'; readonly of: Shape }
  | { readonly type: 'map'; readonly of: Shape }
  | {
      readonly type: 'object';
      readonly fields: Readonly<Record<string, Shape>>;
      readonly required: readonly string[];
    };

const any: Shape = { type: 'any' };
const text: Shape = { type: 'string' };
const number: Shape = { type: 'number' };
const boolean: Shape = { type: 'boolean' };
const time = text;

function list(of: Shape): Shape {
  return { type: 'array', of };
}

function map(of: Shape): Shape {
  return { type: 'map', of };
}

function oneOf(...values: string[]): Shape {
  return { type: 'string', values };
}

function object(fields: Record<string, Shape>, ...required: string[]): Shape {
  return { type: 'object', fields, required };
}

const arn: Shape = { type: 'string', least: 1, most: 256 };
const executionStatus = oneOf(
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'ABORTED',
  'PENDING_REDRIVE',
);
const startExecution = object({ ExecutionArn: arn, StartDate: time }, 'ExecutionArn', 'StartDate');
const included = object({ Included: boolean });
const describeExecution = object(
  {
    ExecutionArn: arn,
    StateMachineArn: arn,
    Name: text,
    Status: executionStatus,
    StartDate: time,
    StopDate: time,
    Input: any,
    InputDetails: included,
    Output: any,
    OutputDetails: included,
    Error: { type: 'string', most: 256 },
    Cause: { type: 'string', most: 32_768 },
    TraceHeader: text,
    MapRunArn: text,
    StateMachineVersionArn: arn,
    StateMachineAliasArn: arn,
    RedriveCount: number,
    RedriveDate: time,
    RedriveStatus: oneOf('REDRIVABLE', 'NOT_REDRIVABLE', 'REDRIVABLE_BY_MAP_RUN'),
    RedriveStatusReason: text,
  },
  'ExecutionArn',
  'StateMachineArn',
  'Status',
  'StartDate',
);
const startSyncExecution = object(
  {
    ExecutionArn: arn,
    StateMachineArn: arn,
    Name: text,
    StartDate: time,
    StopDate: time,
    Status: oneOf('SUCCEEDED', 'FAILED', 'TIMED_OUT'),
    Error: text,
    Cause: text,
    Input: text,
    Output: text,
    BillingDetails: object({ BilledMemoryUsedInMB: number, BilledDurationInMilliseconds: number }),
  },
  'ExecutionArn',
  'StartDate',
  'StopDate',
  'Status',
);

const sendMessage = object({
  MD5OfMessageBody: text,
  MD5OfMessageAttributes: text,
  MD5OfMessageSystemAttributes: text,
  MessageId: text,
  SequenceNumber: text,
});
const publish = object({ MessageId: text, SequenceNumber: text });
const putEvents = object({
  FailedEntryCount: number,
  Entries: list(object({ EventId: text, ErrorCode: text, ErrorMessage: text })),
});
const invoke = object({
  StatusCode: number,
  FunctionError: text,
  LogResult: text,
  Payload: any,
  ExecutedVersion: { type: 'string', least: 1, most: 1024 },
});

const attribute = object({
  S: text,
  N: text,
  B: text,
  SS: list(text),
  NS: list(text),
  BS: list(text),
  M: map(any),
  L: list(any),
  NULL: boolean,
  BOOL: boolean,
});
const capacity = object({
  ReadCapacityUnits: number,
  WriteCapacityUnits: number,
  CapacityUnits: number,
});
const consumedCapacity = object({
  TableName: { type: 'string', least: 1, most: 1024 },
  CapacityUnits: number,
  ReadCapacityUnits: number,
  WriteCapacityUnits: number,
  Table: capacity,
  LocalSecondaryIndexes: map(capacity),
  GlobalSecondaryIndexes: map(capacity),
});
const getItem = object({ Item: map(attribute), ConsumedCapacity: consumedCapacity });
const writeItem = object({
  Attributes: map(attribute),
  ConsumedCapacity: consumedCapacity,
  ItemCollectionMetrics: object({
    ItemCollectionKey: map(attribute),
    SizeEstimateRangeGB: list(number),
  }),
});

const storageClass = oneOf(
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'OUTPOSTS',
  'GLACIER_IR',
  'SNOW',
  'EXPRESS_ONEZONE',
);
const objectHead: Record<string, Shape> = {
  AcceptRanges: text,
  CacheControl: text,
  ChecksumSHA256: text,
  ContentDisposition: text,
  ContentEncoding: text,
  ContentLanguage: text,
  ContentLength: number,
  ContentRange: text,
  ContentType: text,
  DeleteMarker: boolean,
  ETag: text,
  Expiration: text,
  LastModified: time,
  Metadata: map(text),
  MissingMeta: number,
  PartsCount: number,
  ServerSideEncryption: oneOf('AES256', 'aws:fsx', 'aws:kms', 'aws:kms:dsse'),
  StorageClass: storageClass,
  TagCount: number,
  VersionId: text,
};
const listObjects = object({
  Contents: list(
    object({
      Key: { type: 'string', least: 1 },
      ETag: text,
      Size: number,
      LastModified: time,
      StorageClass: storageClass,
    }),
  ),
  CommonPrefixes: list(object({ Prefix: text })),
  ContinuationToken: text,
  Delimiter: text,
  IsTruncated: boolean,
  KeyCount: number,
  MaxKeys: number,
  Name: text,
  NextContinuationToken: text,
  Prefix: text,
  StartAfter: text,
});

const ciphertext: Shape = { type: 'string', least: 1, most: 8192 };
const keyAlgorithm = oneOf('SYMMETRIC_DEFAULT', 'RSAES_OAEP_SHA_1', 'RSAES_OAEP_SHA_256', 'SM2PKE');
const keyId: Shape = { type: 'string', least: 1, most: 2048 };

const functionConfiguration = object({
  Architectures: list(oneOf('x86_64', 'arm64')),
  CodeSha256: text,
  CodeSize: number,
  Description: { type: 'string', most: 256 },
  FunctionArn: text,
  FunctionName: text,
  Handler: { type: 'string', most: 128 },
  LastModified: time,
  LastUpdateStatus: oneOf('Successful', 'Failed', 'InProgress'),
  MemorySize: { type: 'number', least: 128, most: 10_240 },
  PackageType: oneOf('Zip', 'Image'),
  RevisionId: text,
  Role: text,
  State: oneOf('Pending', 'Active', 'Inactive', 'Failed'),
  Timeout: { type: 'number', least: 1 },
  Version: { type: 'string', least: 1, most: 1024 },
});

/** By service and action; `aws-sdk:` names the same APIs. */
const shapes: Readonly<Record<string, Shape>> = {
  'lambda:invoke': invoke,
  'lambda:getFunction': object({
    Code: object({ ImageUri: text, Location: text, RepositoryType: text, ResolvedImageUri: text }),
    Configuration: functionConfiguration,
    Tags: map(text),
  }),
  'states:startExecution': startExecution,
  'states:startExecution.sync': describeExecution,
  'states:startExecution.sync:2': describeExecution,
  'sfn:startExecution': startExecution,
  'sfn:describeExecution': describeExecution,
  'sfn:startSyncExecution': startSyncExecution,
  'sfn:stopExecution': object({ StopDate: time }, 'StopDate'),
  'sfn:sendTaskSuccess': object({}),
  'sfn:sendTaskFailure': object({}),
  'sqs:sendMessage': sendMessage,
  'sns:publish': publish,
  'events:putEvents': putEvents,
  'eventbridge:putEvents': putEvents,
  'dynamodb:getItem': getItem,
  'dynamodb:putItem': writeItem,
  'dynamodb:updateItem': writeItem,
  'dynamodb:deleteItem': writeItem,
  's3:getObject': object({ ...objectHead, Body: any }),
  's3:headObject': object(objectHead),
  's3:putObject': object({
    ETag: text,
    Expiration: text,
    ChecksumSHA256: text,
    ServerSideEncryption: oneOf('AES256', 'aws:fsx', 'aws:kms', 'aws:kms:dsse'),
    Size: number,
    VersionId: text,
  }),
  's3:deleteObject': object({ DeleteMarker: boolean, VersionId: text }),
  's3:listObjectsV2': listObjects,
  'kms:encrypt': object({
    CiphertextBlob: ciphertext,
    KeyId: keyId,
    EncryptionAlgorithm: keyAlgorithm,
  }),
  'kms:decrypt': object({
    KeyId: keyId,
    Plaintext: { type: 'string', least: 1, most: 5462 },
    EncryptionAlgorithm: keyAlgorithm,
  }),
};

/** The response of the API behind a Task's resource; undefined when it is not known here. */
export function responseShape(resource: string): Shape | undefined {
  const name = /^arn:[\w-]+:states:::(?:aws-sdk:)?([\w-]+:[\w:.]+)$/.exec(resource)?.[1];
  if (name === undefined || name.endsWith('.waitForTaskToken')) return undefined;
  return Object.hasOwn(shapes, name) ? shapes[name] : undefined;
}

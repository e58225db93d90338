/** What was called, as IAM asks about it, with this machine's names: a queue's, an ARN, `bucket/key`. */
export type CalledAction = {
  readonly action: string;
  readonly resource: string;
};

export type RecordedCall = CalledAction & {
  /** `api`, `worker`, `step-functions`, or a function's name without `pawl-`. */
  readonly component: string;
};

export type AwsRequest = {
  /** As SigV4 names it. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** `X-Amz-Target`, of the services that speak JSON. */
  readonly target: string;
  readonly body: string;
};

/** A batch is asked about as its single action. */
const batches: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/**
 * The action and resource that IAM would be asked about, by the service authorization reference
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/). Ids and hashes are written as `0`, so that
 * thousands of jobs are one line.
 */
export function actionOf(request: AwsRequest): CalledAction {
  const { action, resource } = request.service === 's3' ? ofS3(request) : ofJsonService(request);
  return { action, resource: withoutIds(resource) };
}

const withoutIds = (text: string): string =>
  text.replaceAll(
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}|(?<=\/)\d+(?=\/|$)/g,
    '0',
  );

/** Which member of a request names what it is about, most telling first. */
const members = {
  sqs: ['QueueUrl'],
  states: ['executionArn', 'stateMachineArn', 'mapRunArn'],
  events: ['EventSourceArn', 'ReplayName'],
  secretsmanager: ['SecretId'],
} as const;

function ofJsonService({ service, target, body }: AwsRequest): CalledAction {
  const operation = target.split('.').at(-1) ?? '';
  const request: Record<string, unknown> = JSON.parse(body === '' ? '{}' : body);
  const names: readonly string[] = Reflect.get(members, service) ?? [];
  const about =
    names.map((name) => request[name]).find((value) => typeof value === 'string') ?? '*';
  const action = `${service}:${batches[operation] ?? operation}`;
  // A queue's URL ends with its name.
  return { action, resource: service === 'sqs' ? (about.split('/').at(-1) ?? '') : about };
}

function ofS3({ method, path }: AwsRequest): CalledAction {
  const url = new URL(path, 'http://s3');
  const query = url.searchParams;
  const resource = decodeURIComponent(url.pathname.slice(1));
  const isBucket = !resource.replace(/\/$/, '').includes('/');
  const version = query.has('versionId') ? 'Version' : '';
  const parts = query.has('uploadId');
  const reading = parts ? 's3:ListMultipartUploadParts' : `s3:GetObject${version}`;
  const actions: Readonly<Record<string, string>> = {
    GET: isBucket ? 's3:ListBucket' : reading,
    HEAD: isBucket ? 's3:ListBucket' : `s3:GetObject${version}`,
    PUT: isBucket ? 's3:CreateBucket' : 's3:PutObject',
    POST: 's3:PutObject',
    DELETE: parts ? 's3:AbortMultipartUpload' : `s3:DeleteObject${version}`,
  };
  return { action: actions[method] ?? `s3:${method}`, resource };
}

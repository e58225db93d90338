import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { TestCloud } from '../support/start-cloud.ts';

/** What a case may require to be run here. */
const SERVED = ['sqs', 'sns', 's3', 'aws-sdk:s3', 'aws-sdk:sfn'];

type Setup = { service: string; action: string; params: Record<string, unknown> };
type Actor = {
  kind: string;
  action?: string;
  error?: string;
  cause?: string;
  output?: string;
  queueUrl?: string;
};
type Case = { area: string; requires?: string[]; setup?: Setup[]; actors?: Actor[] };

const client = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/**
 * The recorded cases that need SQS, SNS or S3, made ready to be run against the stand-ins: names
 * replaced by new ones, what came first in the other services done. Returns the folder of the
 * cases, and their areas.
 */
export async function prepareServiceCases(
  casesFolder: string,
  folder: string,
  cloud: TestCloud,
): Promise<{ folder: string; areas: string[]; queues: Actor[] }> {
  const sqs = new SQSClient({ ...client, endpoint: cloud.endpoint });
  const s3 = new S3Client({ ...client, endpoint: cloud.s3Endpoint, forcePathStyle: true });
  const cases = serviceCases(casesFolder);
  for (const { setup = [], ...one } of cases) {
    for (const step of setup) await setUp(step, { sqs, s3, sns: cloud.endpoint }, one);
  }
  sqs.destroy();
  s3.destroy();
  const queues = cases.flatMap(({ actors = [] }) =>
    actors.filter(({ kind }) => kind === 'sqs-task-token'),
  );
  mkdirSync(folder, { recursive: true });
  const areas = [...new Set(cases.map(({ area }) => area))];
  for (const area of areas) {
    const ofArea = cases
      .filter((one) => one.area === area)
      // The runner has no SQS consumer: answerQueues stands for it.
      .map(({ actors: _actors, ...one }) => one);
    writeFileSync(join(folder, `${area}.json`), JSON.stringify({ schema: 1, area, cases: ofArea }));
  }
  return { folder, areas, queues };
}

function serviceCases(casesFolder: string): Case[] {
  const all = readdirSync(casesFolder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const document = JSON.parse(readFileSync(join(casesFolder, file), 'utf8')) as {
        cases: Case[];
      };
      return document.cases;
    });
  return all
    .filter(
      ({ requires = [] }) => requires.length > 0 && requires.every((each) => SERVED.includes(each)),
    )
    .map((one, index) => {
      const mark = `s${index.toString(36).padStart(4, '0')}`;
      const text = JSON.stringify(one)
        .replaceAll(/u0000(\d{3})/g, `${mark}$1`)
        // The account of the stand-ins.
        .replaceAll('111111111111', '000000000000');
      return JSON.parse(text) as Case;
    });
}

type Services = { sqs: SQSClient; s3: S3Client; sns: string };

async function setUp(
  { service, action, params }: Setup,
  { sqs, s3, sns }: Services,
  one: object,
): Promise<void> {
  const text = (name: string): string => String(params[name]);
  switch (`${service}:${action}`) {
    case 'sqs:CreateQueue':
      await sqs.send(new CreateQueueCommand({ QueueName: text('QueueName') }));
      return;
    case 's3:CreateBucket':
      await s3.send(new CreateBucketCommand({ Bucket: text('Bucket') }));
      return;
    case 's3:PutObject':
      await s3.send(
        new PutObjectCommand({
          Bucket: text('Bucket'),
          Key: text('Key'),
          Body: bodyOf(params['Body'], one),
          ContentType: 'binary/octet-stream',
        }),
      );
      return;
    case 'sns:CreateTopic':
      return callSns(sns, { Action: 'CreateTopic', Name: text('Name') });
    case 'sns:DeleteTopic':
      return callSns(sns, {
        Action: 'DeleteTopic',
        TopicArn: text('TopicArn'),
      });
    default:
      throw new Error(`no case has asked for ${service}:${action} before`);
  }
}

/** Bytes are recorded by their number only, or as Python prints them. */
function bodyOf(body: unknown, one: object): string {
  if (typeof body === 'string') return /^bytearray\(b'(.*)'\)$/.exec(body)?.[1] ?? body;
  const read = /\\?"Body\\?":\s*\\?"([^"\\]*)/.exec(
    JSON.stringify(one).split('TaskSucceeded')[1] ?? '',
  );
  return read?.[1] ?? '';
}

async function callSns(endpoint: string, parameters: Record<string, string>): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      Authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/sns/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: new URLSearchParams({ ...parameters, Version: '2010-03-31' }),
  });
  if (!response.ok) throw new Error(`SNS answered ${response.status}: ${await response.text()}`);
}

/** Plays the consumers that the recordings had: each answers the tokens that come to its queue. */
export function answerQueues(
  queues: readonly Actor[],
  cloud: TestCloud,
  sfn: SFNClient,
): { stop(): Promise<void> } {
  const sqs = new SQSClient({ ...client, endpoint: cloud.endpoint, useQueueUrlAsEndpoint: false });
  const stopping = new AbortController();
  const consume = async (actor: Actor): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { Messages: messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: actor.queueUrl, WaitTimeSeconds: 1 }),
        { abortSignal: stopping.signal },
      );
      for (const { Body: body = '{}' } of messages) await answer(sfn, actor, body);
    }
  };
  const consumers = queues.map((actor) =>
    consume(actor).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(consumers);
      sqs.destroy();
    },
  };
}

async function answer(sfn: SFNClient, actor: Actor, body: string): Promise<void> {
  const { TaskToken: taskToken, Message: message } = JSON.parse(body) as Record<string, string>;
  if (actor.action === 'failure') {
    const { error, cause } = actor;
    await sfn.send(new SendTaskFailureCommand({ taskToken, error, cause }));
    return;
  }
  await sfn.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(message) }));
}

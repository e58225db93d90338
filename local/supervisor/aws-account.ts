import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Addresses, REGION } from './addresses.ts';

/** Clients of this machine's stand-ins. */
export interface AwsAccount {
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly s3: S3Client;
  readonly eventBridge: EventBridgeClient;
  readonly sfn: SFNClient;
}

export function awsAccountAt({ endpoints }: Addresses): AwsAccount {
  const common = {
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  return {
    // The URL that the stand-in gives for a queue has a host that is not its own.
    sqs: new SQSClient({ ...common, endpoint: endpoints.sqs, useQueueUrlAsEndpoint: false }),
    sns: new SNSClient({ ...common, endpoint: endpoints.sns }),
    s3: new S3Client({ ...common, endpoint: endpoints.s3, forcePathStyle: true }),
    eventBridge: new EventBridgeClient({ ...common, endpoint: endpoints.eventbridge }),
    sfn: new SFNClient({ ...common, endpoint: endpoints.sfn }),
  };
}

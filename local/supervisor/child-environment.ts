import {
  type Addresses,
  BUCKET,
  EVENT_ARCHIVE_ARN,
  EVENT_BUS,
  REGION,
  STATE_MACHINE_ARN_PREFIX,
} from './addresses.ts';
import type { KeptSettings } from './kept-settings.ts';

/** The worker ends what it has in hand within this time, so that all processes stop within 15 s. */
export const WORKER_GRACE_MS = 4_000;

type ProviderSecrets = Pick<KeptSettings, 'webhookSecret' | 'paymentWebhookSecret'>;

/** What a user may set for himself; the rest of the variables below describe this machine and win over his. */
const defaultsOf = (addresses: Addresses, secrets: ProviderSecrets): NodeJS.ProcessEnv => ({
  WEBHOOK_URL: addresses.webhook,
  WEBHOOK_SECRET: secrets.webhookSecret,
  PAYMENT_URL: addresses.payment,
  PAYMENT_WEBHOOK_SECRET: secrets.paymentWebhookSecret,
  // Nobody at a machine of his own wants to wait a quarter of an hour for a payment that never comes.
  PAYMENT_WINDOW_SECONDS: '60',
  CALLBACK_BASE_URL: addresses.api,
  SMTP_URL: addresses.smtp,
  CALLBACK_ALLOW_PRIVATE: '1',
  SHUTDOWN_GRACE_MS: String(WORKER_GRACE_MS),
});

/**
 * The environment of our processes, made from the user's.
 *
 * None of his AWS settings get in: a profile of his must never make us talk to the real AWS.
 */
export function childEnvironment(
  users: NodeJS.ProcessEnv,
  addresses: Addresses,
  secrets: ProviderSecrets,
): NodeJS.ProcessEnv {
  const { endpoints, queues } = addresses;
  const inherited = Object.fromEntries(
    Object.entries(users).filter(([name, value]) => !name.startsWith('AWS_') && value !== ''),
  );
  return {
    ...defaultsOf(addresses, secrets),
    ...inherited,
    PAWL_SUPERVISED: '1',
    HOST: '127.0.0.1',
    PORT: new URL(addresses.api).port,
    DATABASE_URL: addresses.database,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_SFN: endpoints.sfn,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SNS: endpoints.sns,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
    LAMBDA_ENDPOINT: endpoints.lambda,
    JOB_REQUESTS_QUEUE_URL: queues.jobRequests,
    JOB_REQUESTS_DLQ_URL: queues.jobRequestsDlq,
    EXECUTION_EVENTS_QUEUE_URL: queues.executionEvents,
    EXECUTION_EVENTS_DLQ_URL: queues.executionEventsDlq,
    EVENT_BUS_NAME: EVENT_BUS,
    EVENT_ARCHIVE_ARN,
    SEARCH_PROJECTION_QUEUE_URL: queues.searchProjection,
    SEARCH_PROJECTION_DLQ_URL: queues.searchProjectionDlq,
    NOTIFICATIONS_QUEUE_URL: queues.notifications,
    NOTIFICATIONS_DLQ_URL: queues.notificationsDlq,
    PAYLOAD_BUCKET: BUCKET,
    STATE_MACHINE_ARN_PREFIX,
  };
}

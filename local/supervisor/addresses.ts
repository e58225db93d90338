import { databaseUrl } from '../postgres/start-postgres.ts';
import type { KeptSettings } from './kept-settings.ts';

export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';
export const BUCKET = 'pawl-payloads';
export const EVENT_BUS = 'default';
export const EVENT_ARCHIVE = 'pawl';
export const EVENT_ARCHIVE_ARN = `arn:aws:events:${REGION}:${ACCOUNT}:archive/${EVENT_ARCHIVE}`;
export const STATE_MACHINE_ARN_PREFIX = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:pawl-`;

/** Where everything is on this machine. */
export interface Addresses {
  readonly api: string;
  readonly endpoints: {
    readonly sfn: string;
    readonly sqs: string;
    readonly sns: string;
    readonly s3: string;
    readonly lambda: string;
    readonly eventbridge: string;
  };
  readonly queues: {
    readonly jobRequests: string;
    readonly jobRequestsDlq: string;
    readonly executionEvents: string;
    readonly executionEventsDlq: string;
    readonly searchProjection: string;
    readonly searchProjectionDlq: string;
    readonly notifications: string;
    readonly notificationsDlq: string;
  };
  readonly webhook: string;
  readonly payment: string;
  readonly smtp: string;
  /** Where the mail server's mailbox is read. */
  readonly mailbox: string;
  readonly database: string;
  /** The server's own database, in which others are made. */
  readonly databaseServer: string;
}

export function addressesOf(settings: KeptSettings, apiPort: number): Addresses {
  const { ports, databasePassword } = settings;
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  const queue = (name: string): string => `${at(ports.cloud)}/${ACCOUNT}/${name}`;
  return {
    api: at(apiPort),
    endpoints: {
      sfn: at(ports.engine),
      sqs: at(ports.cloud),
      sns: at(ports.cloud),
      s3: at(ports.s3),
      lambda: at(ports.lambda),
      eventbridge: at(ports.eventbridge),
    },
    queues: {
      jobRequests: queue('job-requests'),
      jobRequestsDlq: queue('job-requests-dlq'),
      executionEvents: queue('execution-events'),
      executionEventsDlq: queue('execution-events-dlq'),
      searchProjection: queue('search-projection'),
      searchProjectionDlq: queue('search-projection-dlq'),
      notifications: queue('notifications'),
      notificationsDlq: queue('notifications-dlq'),
    },
    webhook: `${at(ports.webhook)}/webhook`,
    payment: `${at(ports.payment)}/payments`,
    smtp: `smtp://127.0.0.1:${ports.smtp}`,
    mailbox: `${at(ports.mail)}/mails`,
    database: databaseUrl(ports.postgres, databasePassword, 'pawl'),
    databaseServer: databaseUrl(ports.postgres, databasePassword, 'postgres'),
  };
}

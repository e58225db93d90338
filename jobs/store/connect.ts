import { Signer } from '@aws-sdk/rds-signer';
import postgres from 'postgres';
import { renewable } from './renewable-pool.ts';

/** A pool of connections; every statement of it settles within its deadline. */
export type Sql = postgres.Sql;

export type DatabaseConfig = {
  readonly url: string;
  readonly poolSize: number;
  /** How long a statement may run on the server. The client gives up a second later, whatever the server says. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** `iam`: each connection logs in with a token made from AWS credentials, over TLS with the server's name checked. */
  readonly authentication?: 'password' | 'iam';
};

/**
 * Opens a pool; connections are made when first needed.
 *
 * `fetch_types: false` because a connection killed while types are fetched ends the process
 * (postgres 3.4.9); the price is that arrays cannot be passed: a list goes as jsonb and is unpacked in SQL.
 */
export function connect(config: DatabaseConfig, applicationName: string): Sql {
  const open = (onclose: () => void): Sql =>
    postgres(config.url, {
      ...connectionOptions(config, applicationName),
      max: config.poolSize,
      idle_timeout: 60,
      max_lifetime: 30 * 60,
      onclose,
    });
  const deadlineMs = config.statementTimeoutMs + 1_000;
  const pool = renewable(open, deadlineMs);
  deadlines.set(pool, deadlineMs);
  return pool;
}

/** What every connection to the database is opened with. */
export const connectionOptions = (config: DatabaseConfig, applicationName: string) => ({
  fetch_types: false,
  connect_timeout: 5,
  onnotice: () => undefined,
  ...(config.authentication === 'iam' ? iamLogin(config.url) : {}),
  connection: {
    application_name: applicationName,
    ...(config.authentication === 'iam' ? {} : sessionTimeouts(config)),
  },
});

const sessionTimeouts = (config: DatabaseConfig) => ({
  statement_timeout: config.statementTimeoutMs,
  lock_timeout: config.lockTimeoutMs,
  idle_in_transaction_session_timeout: config.statementTimeoutMs,
});

/**
 * A token lasts 15 minutes and is checked when a connection is made
 * (https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.html). The timeouts are the
 * database role's own there: a session's settings would pin it to its connection behind RDS Proxy.
 */
function iamLogin(url: string) {
  const { hostname, port, username } = new URL(url);
  const signer = new Signer({ hostname, port: Number(port || 5432), username });
  return { ssl: 'verify-full' as const, password: () => signer.getAuthToken() };
}

const deadlines = new WeakMap<Sql, number>();

/** The deadline of each statement of a pool that `connect` opened, milliseconds. */
export function deadlineOf(sql: Sql): number {
  const deadlineMs = deadlines.get(sql);
  if (deadlineMs === undefined) throw new Error('not a pool of connect()');
  return deadlineMs;
}

import { after } from 'node:test';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { testDatabase } from './test-database.ts';

/** A pool on `url` as the product opens it; closed when the file's tests are over. */
export function connectTo(url: string, poolSize = 10): Sql {
  const config = { url, poolSize, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 };
  const sql = connect(config, 'test');
  after(() => sql.end({ timeout: 2 }));
  return sql;
}

/** A pool on a database of this test file's own. */
export const connectTest = async (): Promise<Sql> => connectTo((await testDatabase()).url);

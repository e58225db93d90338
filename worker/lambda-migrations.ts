// The function that a deployment calls before code that needs a new schema: the database role, then the migrations.
import postgres from 'postgres';
import { readMigrationsConfig } from '../jobs/config.ts';
import { readSecretSettings } from '../jobs/secret-settings.ts';
import { prepareRole } from '../jobs/store/database-role.ts';
import { migrate } from '../jobs/store/migrate.ts';

/** Logs in as the administrator, whose password RDS keeps in a secret of its own. */
export const handler = async (): Promise<{ readonly applied: readonly string[] }> => {
  const { databaseUrl, role, adminSecretArn } = readMigrationsConfig();
  const { username = '', password = '' } = await readSecretSettings(adminSecretArn);
  const url = new URL(databaseUrl);
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  const sql = postgres(url.href, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await prepareRole(sql, role);
  } finally {
    await sql.end({ timeout: 5 });
  }
  return { applied: await migrate(url.href) };
};

// `npm run migrate`: brings the database of DATABASE_URL to this source tree's schema.
import { migrate } from '../jobs/store/migrate.ts';

const url = process.env['DATABASE_URL'];
if (url === undefined || url === '') {
  console.error('DATABASE_URL is not set: postgres://user:password@host:port/database');
  process.exit(1);
}
const applied = await migrate(url);
console.log(applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`);

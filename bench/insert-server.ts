// The ceiling of POST /jobs: Fastify with a schema and one INSERT commit; prints its address to its parent.
import fastify from 'fastify';
import { connect } from '../jobs/store/connect.ts';

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('insert-server.ts <database url>');
const sql = connect(
  { url, poolSize: 10, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 },
  'pawl bench ceiling',
);
await sql`create table if not exists bench_inserts (id uuid primary key, body jsonb not null)`;

const app = fastify();
const schema = {
  body: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string' },
      input: { type: 'object', properties: { n: { type: 'string' } } },
    },
  },
};
app.post<{ Body: { type: string } }>('/jobs', { schema }, async (request, reply) => {
  const id = crypto.randomUUID();
  await sql`insert into bench_inserts values (${id}, ${sql.json(request.body)})`;
  return reply.code(202).send({ id });
});
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));

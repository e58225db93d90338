import { createS3Server } from '../../local/s3/server.ts';
import { credentials, region } from './test-account.ts';

// A server in a process of its own, so that a test can kill it and see its memory.
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: serve-s3.ts <dataDir>');

const server = createS3Server({
  dataDir,
  region,
  credentials: [credentials],
  clock: Date,
  log: {
    info: () => undefined,
    error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  },
});
const { port } = await server.listen('127.0.0.1', 0);
process.send?.({ port });
process.on('message', () => {
  process.send?.({ maxRssBytes: process.resourceUsage().maxRSS * 1024 });
});
process.on('disconnect', () => process.exit());

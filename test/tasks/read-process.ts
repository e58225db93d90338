// Reads one document from its standard input, in a process that a test kills.
import { createReaderPool } from '../../tasks/extraction/reader-pool.ts';

const bytes = Buffer.concat(await process.stdin.toArray());
async function* chunks(): AsyncGenerator<Buffer> {
  yield bytes;
}
const facts = await createReaderPool().read(async () => chunks(), {
  bytes: bytes.length,
  contentType: null,
});
console.log(JSON.stringify(facts));

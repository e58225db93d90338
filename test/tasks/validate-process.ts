// Validates one payload in a process of its own, with the client that tasks have, and prints the memory it took:
// node validate-process.ts <sha256>; endpoint and credentials are the environment's.
import { validatePayload } from '../../jobs/payload.ts';
import { createS3Client } from '../../tasks/runtime/task-deps.ts';

const [sha256 = ''] = process.argv.slice(2);
const s3 = createS3Client();
const startBytes = process.memoryUsage.rss();
const pin = await validatePayload(s3, { bucket: 'payloads', key: 'payloads/acme/x', sha256 }, 2e9);
// maxRSS is in KiB (https://nodejs.org/api/process.html#processresourceusage).
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ bytes: pin.bytes, startBytes, peakBytes }));
s3.destroy();

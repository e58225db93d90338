// Validates one payload in a process of its own and prints the memory it took: node validate-process.ts <endpoint> <sha256>.
import { S3Client } from '@aws-sdk/client-s3';
import { validatePayload } from '../../jobs/payload.ts';

const [endpoint = '', sha256 = ''] = process.argv.slice(2);
const s3 = new S3Client({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'of the tests' },
});
const pin = await validatePayload(s3, { bucket: 'payloads', key: 'payloads/acme/x', sha256 }, 2e9);
// maxRSS is in KiB (https://nodejs.org/api/process.html#processresourceusage).
console.log(JSON.stringify({ bytes: pin.bytes, peakBytes: process.resourceUsage().maxRSS * 1024 }));
s3.destroy();

import { S3Client } from '@aws-sdk/client-s3';
import { createS3Server } from '../../local/s3/server.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The S3 stand-in in this process, and a client of it. */
export async function startS3(
  dataDir: string,
): Promise<{ endpoint: string; s3: S3Client; close: () => Promise<void> }> {
  const server = createS3Server({
    dataDir,
    region: 'us-east-1',
    credentials: [credentials],
    clock: Date,
    log: { info: () => undefined, error: (...told: unknown[]) => console.error(...told) },
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const endpoint = `http://127.0.0.1:${port}`;
  const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  return {
    endpoint,
    s3,
    close: async () => {
      s3.destroy();
      await server.close();
    },
  };
}

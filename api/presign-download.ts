import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

const downloadSeconds = 900;

/** An address for a GET of the object, for 15 minutes. */
export const presignDownload = (
  s3: S3Client,
  { bucket, key, versionId }: { bucket: string; key: string; versionId?: string | undefined },
): Promise<string> =>
  getSignedUrl(
    s3,
    new GetObjectCommand({
      Bucket: bucket,
      Key: key,
      ...(versionId === undefined ? {} : { VersionId: versionId }),
      // What users uploaded is never shown as a page of the bucket's address.
      ResponseContentDisposition: 'attachment',
    }),
    { expiresIn: downloadSeconds },
  );

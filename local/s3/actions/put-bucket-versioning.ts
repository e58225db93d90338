import { readXmlBody } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket, setVersioning } from '../store/buckets.ts';
import { childText } from '../xml/read-xml.ts';

/** Once Enabled, versioning can only be Suspended. MFA delete is not implemented. */
export const putBucketVersioning: Action = async ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const configuration = await readXmlBody(request, 'VersioningConfiguration');
  if ((childText(configuration, 'MfaDelete') ?? 'Disabled') !== 'Disabled') {
    throw new S3Error('NotImplemented', { message: 'MFA delete is not implemented here.' });
  }
  const status = childText(configuration, 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw new S3Error('IllegalVersioningConfigurationException');
  }
  setVersioning(store.index, request.bucket, status);
  return { status: 200 };
};

import { readXmlBody } from '../body/read-xml-body.ts';
import type { Action, ActionContext } from '../http/action.ts';
import { readChecksumClaim } from '../object/checksum-claim.ts';
import { deleteObjectVersion } from '../object/delete-object-version.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { childText, type XmlNode } from '../xml/read-xml.ts';
import { element, textElement, xmlDocument, type XmlElement } from '../xml/write-xml.ts';

const maxKeys = 1000;

/** Deletes up to 1,000 keys or versions; each has its own outcome. The request needs a digest, as on AWS. */
export const deleteObjects: Action = async (context, request) => {
  requireBucket(context.store.index, request.bucket);
  if (!request.headers.has('content-md5') && readChecksumClaim(request.headers) === undefined) {
    throw new S3Error('InvalidRequest', {
      message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    });
  }
  const root = await readXmlBody(request, 'Delete');
  const objects = root.children.filter(({ name }) => name === 'Object');
  if (objects.length === 0 || objects.length > maxKeys) throw new S3Error('MalformedXML');
  const isQuiet = childText(root, 'Quiet') === 'true';
  const results: XmlElement[] = [];
  for (const object of objects) {
    const result = await deleteOne(context, request.bucket, object);
    if (result.name === 'Error' || !isQuiet) results.push(result);
  }
  return { status: 200, body: xmlDocument(element('DeleteResult', results)) };
};

async function deleteOne(
  { store, clock }: ActionContext,
  bucket: string,
  object: XmlNode,
): Promise<XmlElement> {
  const key = childText(object, 'Key') ?? '';
  const versionId = childText(object, 'VersionId');
  try {
    if (key === '') throw new S3Error('MalformedXML');
    const outcome = deleteObjectVersion(store, {
      bucket,
      key,
      versionId,
      ifMatch: childText(object, 'ETag'),
      nowMs: clock.now(),
    });
    await store.content.remove(outcome.removedFiles);
    const marker = outcome.isDeleteMarker;
    return element(
      'Deleted',
      textElement('Key', key),
      textElement('VersionId', versionId),
      textElement('DeleteMarker', marker ? true : undefined),
      textElement('DeleteMarkerVersionId', marker ? outcome.versionId : undefined),
    );
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return element(
      'Error',
      textElement('Key', key),
      textElement('VersionId', versionId),
      textElement('Code', error.code),
      textElement('Message', error.message),
    );
  }
}

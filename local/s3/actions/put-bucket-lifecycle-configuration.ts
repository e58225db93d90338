import { readBodyText } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket, setLifecycle } from '../store/buckets.ts';
import { childText, readXmlRoot, type XmlNode } from '../xml/read-xml.ts';

const maxRules = 1000;

/** Keeps the rules and gives them back. Unfinished uploads are aborted by them; no object expires. */
export const putBucketLifecycleConfiguration: Action = async ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const document = await readBodyText(request);
  const rules = readXmlRoot(document, 'LifecycleConfiguration').children;
  const isValid =
    rules.length > 0 &&
    rules.length <= maxRules &&
    rules.every(
      (rule) =>
        rule.name === 'Rule' &&
        /^(?:Enabled|Disabled)$/.test(childText(rule, 'Status') ?? '') &&
        rule.children.every(isLegalAbort),
    );
  if (!isValid) throw new S3Error('MalformedXML');
  setLifecycle(store.index, request.bucket, document);
  return { status: 200 };
};

const isLegalAbort = (element: XmlNode): boolean =>
  element.name !== 'AbortIncompleteMultipartUpload' ||
  /^[1-9]\d{0,8}$/.test(childText(element, 'DaysAfterInitiation') ?? '');

import { readBodyText } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket, setLifecycle } from '../store/buckets.ts';
import { childText, readXmlRoot } from '../xml/read-xml.ts';

const maxRules = 1000;

/** Keeps the rules and gives them back; nothing here expires objects by them. */
export const putBucketLifecycleConfiguration: Action = async ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const document = await readBodyText(request);
  const rules = readXmlRoot(document, 'LifecycleConfiguration').children;
  const isValid =
    rules.length > 0 &&
    rules.length <= maxRules &&
    rules.every(
      (rule) =>
        rule.name === 'Rule' && /^(?:Enabled|Disabled)$/.test(childText(rule, 'Status') ?? ''),
    );
  if (!isValid) throw new S3Error('MalformedXML');
  setLifecycle(store.index, request.bucket, document);
  return { status: 200 };
};

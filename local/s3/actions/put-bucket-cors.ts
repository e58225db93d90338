import { readBodyText } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { readCorsRules } from '../http/cors-rules.ts';
import { requireBucket, setCors } from '../store/buckets.ts';

/** Keeps the rules by which pages of other origins may call the bucket. */
export const putBucketCors: Action = async ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const document = await readBodyText(request);
  readCorsRules(document);
  setCors(store.index, request.bucket, document);
  return { status: 200 };
};

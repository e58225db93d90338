import type { Action } from '../http/action.ts';
import { requireBucket } from '../store/buckets.ts';
import { xmlDocument } from '../xml/write-xml.ts';

/** us-east-1 is the empty constraint, as on AWS. */
export const getBucketLocation: Action = ({ store, region }, { bucket }) => {
  requireBucket(store.index, bucket);
  const constraint = region === 'us-east-1' ? '' : region;
  return { status: 200, body: xmlDocument({ name: 'LocationConstraint', content: constraint }) };
};

import type { Action } from '../http/action.ts';
import { isoTime } from '../object/object-headers.ts';
import { listBuckets as selectBuckets } from '../store/buckets.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

/** All buckets in one answer; there is one owner. */
export const listBuckets: Action = ({ store, region }, { query }) => {
  const prefix = query.get('prefix') ?? '';
  const buckets = selectBuckets(store.index)
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, createdAtMs }) =>
      element(
        'Bucket',
        textElement('Name', name),
        textElement('CreationDate', isoTime(createdAtMs)),
        textElement('BucketRegion', region),
      ),
    );
  const owner = element('Owner', textElement('ID', '000000000000'));
  return {
    status: 200,
    body: xmlDocument(element('ListAllMyBucketsResult', owner, element('Buckets', buckets))),
  };
};

import type { Action } from '../http/action.ts';
import { requireBucket } from '../store/buckets.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

/** A bucket that never had versioning has no Status at all. */
export const getBucketVersioning: Action = ({ store }, { bucket }) => {
  const { versioning } = requireBucket(store.index, bucket);
  const status = versioning === 'Unversioned' ? undefined : versioning;
  return {
    status: 200,
    body: xmlDocument(element('VersioningConfiguration', textElement('Status', status))),
  };
};

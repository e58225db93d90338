import type { Action } from '../http/action.ts';
import { requireObject } from '../object/find-object.ts';
import { versionHeaders } from '../object/object-headers.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

export const getObjectTagging: Action = ({ store }, { bucket: bucketName, key, query }) => {
  const { bucket, version } = requireObject(store.index, bucketName, key, query.get('versionId'));
  const tags = Object.entries(version.tags).map(([name, value]) =>
    element('Tag', textElement('Key', name), textElement('Value', value)),
  );
  return {
    status: 200,
    headers: versionHeaders(bucket, version.versionId),
    body: xmlDocument(element('Tagging', element('TagSet', tags))),
  };
};

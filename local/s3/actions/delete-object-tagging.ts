import type { Action } from '../http/action.ts';
import { requireObject } from '../object/find-object.ts';
import { versionHeaders } from '../object/object-headers.ts';
import { setTags } from '../store/versions.ts';

export const deleteObjectTagging: Action = ({ store }, { bucket: bucketName, key, query }) => {
  const { bucket, version } = requireObject(store.index, bucketName, key, query.get('versionId'));
  setTags(store.index, version.seq, {});
  return { status: 204, headers: versionHeaders(bucket, version.versionId) };
};

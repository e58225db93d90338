import type { Action } from '../http/action.ts';
import { deleteObjectVersion } from '../object/delete-object-version.ts';

export const deleteObject: Action = async ({ store, clock }, request) => {
  const outcome = deleteObjectVersion(store, {
    bucket: request.bucket,
    key: request.key,
    versionId: request.query.get('versionId'),
    ifMatch: request.headers.get('if-match'),
    nowMs: clock.now(),
  });
  await store.content.remove(outcome.removedFiles);
  return {
    status: 204,
    headers: {
      ...(outcome.versionId === undefined ? {} : { 'x-amz-version-id': outcome.versionId }),
      ...(outcome.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {}),
    },
  };
};

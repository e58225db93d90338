import { readXmlBody } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { requireObject } from '../object/find-object.ts';
import { versionHeaders } from '../object/object-headers.ts';
import { requireTags } from '../object/read-description.ts';
import { setTags } from '../store/versions.ts';
import { childText } from '../xml/read-xml.ts';

/** Replaces all tags of a version. */
export const putObjectTagging: Action = async ({ store }, request) => {
  const root = await readXmlBody(request, 'Tagging');
  const tagSet = root.children.find(({ name }) => name === 'TagSet')?.children ?? [];
  const tags = requireTags(
    tagSet.map((tag) => [childText(tag, 'Key') ?? '', childText(tag, 'Value') ?? '']),
  );
  const versionId = request.query.get('versionId');
  const found = requireObject(store.index, request.bucket, request.key, versionId);
  setTags(store.index, found.version.seq, tags);
  return { status: 200, headers: versionHeaders(found.bucket, found.version.versionId) };
};

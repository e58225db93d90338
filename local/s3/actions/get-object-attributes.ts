import type { Action } from '../http/action.ts';
import { requireObject } from '../object/find-object.ts';
import { checksumElements, versionHeaders } from '../object/object-headers.ts';
import { parsePageSize } from '../object/page-size.ts';
import { invalidArgument } from '../s3-error.ts';
import { listSegments, type ObjectVersion, type Segment } from '../store/versions.ts';
import { element, textElement, xmlDocument, type XmlElement } from '../xml/write-xml.ts';

const attributeNames = new Set(['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']);

/** The attributes that `x-amz-object-attributes` asks for; parts are shown for multipart objects only. */
export const getObjectAttributes: Action = ({ store }, request) => {
  const { bucket, version } = requireObject(
    store.index,
    request.bucket,
    request.key,
    request.query.get('versionId'),
  );
  const asked = readAttributes(request.headers.get('x-amz-object-attributes') ?? '');
  const segments = listSegments(store.index, version.seq);
  const isMultipart = segments[0]?.partNumber !== undefined;
  const storageClass = version.headers['x-amz-storage-class'] ?? 'STANDARD';
  const when = (name: string, found: XmlElement | undefined) =>
    asked.has(name) ? found : undefined;
  const root = element(
    'GetObjectAttributesResponse',
    when('ETag', textElement('ETag', version.etag)),
    when('Checksum', element('Checksum', checksumElements(version.checksum))),
    isMultipart ? when('ObjectParts', partsElement(version, segments, request.headers)) : undefined,
    when('StorageClass', textElement('StorageClass', storageClass)),
    when('ObjectSize', textElement('ObjectSize', version.bytes)),
  );
  return {
    status: 200,
    headers: {
      'last-modified': new Date(version.lastModifiedMs).toUTCString(),
      ...versionHeaders(bucket, version.versionId),
    },
    body: xmlDocument(root),
  };
};

function readAttributes(header: string): ReadonlySet<string> {
  const names = header.split(',').map((name) => name.trim());
  if (!names.every((name) => attributeNames.has(name))) {
    throw invalidArgument('x-amz-object-attributes', header, 'Invalid attribute name specified.');
  }
  return new Set(names);
}

function partsElement(
  { checksum }: ObjectVersion,
  segments: readonly Segment[],
  headers: ReadonlyMap<string, string>,
): XmlElement {
  const maxParts = parsePageSize('x-amz-max-parts', headers.get('x-amz-max-parts'));
  const marker = Number(headers.get('x-amz-part-number-marker') ?? '0');
  const rest = segments.filter(({ partNumber }) => (partNumber ?? 1) > marker);
  const page = rest.slice(0, maxParts);
  const last = page.at(-1);
  return element(
    'ObjectParts',
    textElement('PartsCount', segments.length),
    textElement('PartNumberMarker', marker),
    textElement('NextPartNumberMarker', last?.partNumber ?? 0),
    textElement('MaxParts', maxParts),
    textElement('IsTruncated', rest.length > page.length),
    page.map(({ partNumber, bytes, partChecksum }) =>
      element(
        'Part',
        textElement('PartNumber', partNumber),
        textElement('Size', bytes),
        textElement(`Checksum${checksum?.algorithm ?? ''}`, partChecksum),
      ),
    ),
  );
}

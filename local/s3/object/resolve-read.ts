import type { ActionContext, ActionRequest } from '../http/action.ts';
import { invalidArgument } from '../s3-error.ts';
import { listSegments, type Segment } from '../store/versions.ts';
import type { ByteRange } from './byte-range.ts';
import { requireObject } from './find-object.ts';
import { objectHeaders } from './object-headers.ts';
import { checkReadConditions } from './read-conditions.ts';
import { selectBytes } from './select-bytes.ts';

interface ResolvedRead {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** Empty for a 304. */
  range: ByteRange;
  segments: readonly Segment[];
}

/** Query parameters `response-*` that replace a header of the answer. */
const overridable = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

/** What GetObject and HeadObject answer: the version, the conditions, the range or part, the headers. */
export function resolveRead({ store }: ActionContext, request: ActionRequest): ResolvedRead {
  const versionId = request.query.get('versionId');
  const found = requireObject(store.index, request.bucket, request.key, versionId);
  const { bucket, version } = found;
  const headers = { ...objectHeaders(bucket, version), ...readOverrides(request.query) };
  if (checkReadConditions(request.headers, version).isNotModified) {
    return { status: 304, headers, range: { start: 0, bytes: 0 }, segments: [] };
  }
  const segments = listSegments(store.index, version.seq);
  const selected = selectBytes(request, version, segments);
  return { ...selected, headers: { ...headers, ...selected.headers }, segments };
}

function readOverrides(query: ReadonlyMap<string, string>): Record<string, string> {
  const replaced: Record<string, string> = {};
  for (const name of overridable) {
    const value = query.get(`response-${name}`);
    if (value === undefined) continue;
    // oxlint-disable-next-line no-control-regex
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw invalidArgument(`response-${name}`, value, 'It must be a valid header value');
    }
    replaced[name] = value;
  }
  return replaced;
}

import type { Action } from '../http/action.ts';
import { sliceSegments } from '../object/byte-range.ts';
import { resolveRead } from '../object/resolve-read.ts';

/** Streams an object, a range or a part of it; its files are held until the answer has been sent. */
export const getObject: Action = (context, request) => {
  const { content } = context.store;
  const { status, headers, range, segments } = resolveRead(context, request);
  if (status === 304) return { status, headers };
  const slices = sliceSegments(segments, range);
  const { release } = content.hold(slices.map(({ file }) => file));
  return { status, headers, body: content.read(slices), release };
};

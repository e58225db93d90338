/** A page of a listing: items and common prefixes, together at most `maxEntries`. */
export interface Page<Item> {
  items: Item[];
  commonPrefixes: string[];
  /** The last entry of a page that more follow after. */
  last: { item: Item } | { commonPrefix: string } | undefined;
}

interface RollUpRequest {
  prefix: string;
  delimiter: string;
  maxEntries: number;
}

/**
 * Walks keys in order and rolls those that hold the delimiter after the prefix up into common prefixes.
 * A rolled-up prefix is skipped by a new look-up behind it, so that a million keys in it cost nothing.
 */
export function rollUp<Item extends { key: string }>(
  { prefix, delimiter, maxEntries }: RollUpRequest,
  firstRows: Iterable<Item>,
  rowsFrom: (lowestKey: string) => Iterable<Item>,
): Page<Item> {
  const page: Page<Item> = { items: [], commonPrefixes: [], last: undefined };
  if (maxEntries === 0) return page;
  let last: Page<Item>['last'];
  for (let rows: Iterable<Item> | undefined = firstRows; rows !== undefined;) {
    let resumeAt: string | undefined;
    for (const item of rows) {
      if (!item.key.startsWith(prefix)) return page;
      if (page.items.length + page.commonPrefixes.length === maxEntries) return { ...page, last };
      const end = delimiter === '' ? -1 : item.key.indexOf(delimiter, prefix.length);
      if (end === -1) {
        page.items.push(item);
        last = { item };
        continue;
      }
      const commonPrefix = item.key.slice(0, end + delimiter.length);
      page.commonPrefixes.push(commonPrefix);
      last = { commonPrefix };
      resumeAt = keyBehind(commonPrefix);
      break;
    }
    rows = resumeAt === undefined ? undefined : rowsFrom(resumeAt);
  }
  return page;
}

/**
 * Where a marker makes a listing go on: behind a common prefix, if the marker is one, so that its keys
 * are not rolled up a second time.
 */
export function prefixOfMarker(
  marker: string,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): string | undefined {
  const isCommonPrefix =
    delimiter !== '' &&
    marker.startsWith(prefix) &&
    marker.indexOf(delimiter, prefix.length) === marker.length - delimiter.length &&
    marker.length > prefix.length;
  return isCommonPrefix ? keyBehind(marker) : undefined;
}

/** The lowest key above all that start with the prefix, in order of UTF-8 bytes (which is that of code points). */
export function keyBehind(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

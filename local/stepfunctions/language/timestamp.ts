const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-](\d{2}):(\d{2}))$/;

/**
 * An RFC 3339 timestamp with an upper-case `T` and `Z` (https://states-language.net/spec.html#timestamps) as
 * milliseconds since 1970; undefined for any other text, and for days and hours there are not.
 */
export function parseTimestamp(text: string): number | undefined {
  const found = pattern.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number);
  const offsetHours = Number(found[9] ?? 0);
  const offsetMinutes = Number(found[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 18 || offsetMinutes > 59) {
    return undefined;
  }
  if (day < 1 || month < 1 || month > 12 || day > daysIn(year, month)) return undefined;
  return Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

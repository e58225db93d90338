/** The filters of the list, by their names in the API, which are also those in the address. */
export const filterNames = [
  'status',
  'type',
  'tag',
  'createdAfter',
  'createdBefore',
  'failureCode',
  'failureText',
] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** As the API wants them: a time of the form's is in the reader's time zone and has no zone written. */
export function asQuery(filters: Filters): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      name.startsWith('created') && /T\d\d:\d\d(:\d\d)?$/.test(value)
        ? new Date(value).toISOString()
        : value,
    ]),
  );
}

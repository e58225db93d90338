import { Problem } from '../../problems.ts';

/** What an operator chose: some by their ids, or expressly all. Neither and both are refused. */
export function chosenOf(
  ids: readonly string[] | undefined,
  all: true | undefined,
  pointer: string,
): ReadonlySet<string> | 'all' {
  if (all === true && ids === undefined) return 'all';
  if (all === undefined && ids !== undefined) return new Set(ids);
  throw new Problem('invalid-request', {
    in: 'body',
    errors: [{ pointer, message: 'is wanted, or "all": true; not both and not neither' }],
  });
}

import { tryParseExact } from '../api/exact-json.ts';
import { isRecord } from '../graph/definition.ts';

/** Pure: the message of one of our own errors, which stands as JSON in the JSON of the cause (tasks/runtime/task-failure.ts). */
export function failureMessage(cause = ''): string {
  const outer = tryParseExact(cause);
  const inner = isRecord(outer) ? outer['errorMessage'] : undefined;
  const told = typeof inner === 'string' ? tryParseExact(inner) : undefined;
  const message = isRecord(told) ? told['message'] : inner;
  return typeof message === 'string' ? message : '';
}

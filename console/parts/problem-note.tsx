import { Refused } from '../api/call.ts';

/** What went wrong, in the API's own words. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  const { title, lines } = describeError(error);
  return (
    <div className="note bad" role="alert">
      <strong>{title}</strong>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

export function describeError(error: unknown): { title: string; lines: string[] } {
  if (error instanceof Refused) {
    const { title, detail, errors, requestId } = error.problem;
    return {
      title: title ?? `The API answered ${error.status}`,
      lines: [
        ...(detail === undefined ? [] : [detail]),
        ...(errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`),
        ...(requestId === undefined ? [] : [`request ${requestId}`]),
      ],
    };
  }
  if (error instanceof TypeError) {
    return {
      title: 'The API cannot be reached',
      lines: ['It is asked again; see whether it runs.'],
    };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? [error.cause.message] : [];
  return { title: 'Something went wrong', lines: [String(error), ...cause] };
}

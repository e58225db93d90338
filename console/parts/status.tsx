/** How a status looks: a tone for its colour and a sign, because colour alone says nothing to some. */
const looks: Readonly<Record<string, readonly [tone: string, sign: string]>> = {
  PENDING: ['wait', '◷'],
  RUNNING: ['run', '▶'],
  RETRYING: ['warn', '↻'],
  SUCCEEDED: ['good', '✓'],
  COMPLETED: ['good', '✓'],
  FAILED: ['bad', '✕'],
  REJECTED: ['bad', '✕'],
  CAUGHT: ['warn', '⤷'],
  CANCELLED: ['off', '⊘'],
  ABORTED: ['off', '⊘'],
  ABANDONED: ['off', '⊘'],
  DISCARDED: ['off', '⊘'],
  EXPIRED: ['warn', '◔'],
  PAUSED: ['warn', '‖'],
  UNKNOWN: ['warn', '?'],
  INTENDED: ['wait', '◷'],
  CALLING: ['run', '▶'],
  TIMED_OUT: ['bad', '◔'],
  NOT_ENTERED: ['none', '·'],
};

export const toneOf = (status: string): string => looks[status]?.[0] ?? 'none';
export const signOf = (status: string): string => looks[status]?.[1] ?? '·';

export function Status({ status }: { readonly status: string }) {
  return (
    <span className={`status ${toneOf(status)}`}>
      <span aria-hidden="true">{signOf(status)}</span> {status.replaceAll('_', ' ')}
    </span>
  );
}

import { ago, clockTime, dayAndTime } from './format.ts';
import { useNow } from './use-now.ts';

/** A moment: the clock's time, with all of it in the title. */
export function At({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="faint">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${dayAndTime(date)} (${at})`}>
      {clockTime(date)}
    </time>
  );
}

/** How long ago; moves on by itself. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  useNow(5_000);
  if (at === null || at === undefined) return <span className="faint">–</span>;
  return (
    <time dateTime={at} title={dayAndTime(new Date(at))}>
      {ago(new Date(at), Date.now())}
    </time>
  );
}

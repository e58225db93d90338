import { useMemo, useState } from 'react';
import { type HistoryEvent, textOf } from '../history/event.ts';
import { failureMessage } from '../history/failure-message.ts';
import { clockTime, count } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import type { History } from './use-history.ts';

const rowHeight = 28;

/** Every event, newest first. */
export function EventsTab({ history }: { readonly history: History }) {
  const { events, visits } = history;
  const [state, setState] = useState('');
  const [type, setType] = useState('');
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [chosen, setChosen] = useState<number>();

  const names = useMemo(
    () => [...new Set(visits.list.map((visit) => visit.state))].sort(),
    [visits],
  );
  const types = useMemo(() => [...new Set(events.map((event) => event.type))].sort(), [events]);
  const shown = useMemo(
    () =>
      events
        .filter(
          (event) =>
            (!onlyFailed || event.isFailure) &&
            (type === '' || event.type === type) &&
            (state === '' || visits.ofEvent.get(event.id)?.state === state),
        )
        .toReversed(),
    [events, visits, state, type, onlyFailed],
  );
  const event = chosen === undefined ? undefined : shown.find(({ id }) => id === chosen);
  return (
    <>
      <form className="filters" onSubmit={(submitted) => submitted.preventDefault()}>
        <Choice label="State" value={state} options={names} onChange={setState} />
        <Choice label="Event type" value={type} options={types} onChange={setType} />
        <label className="choice">
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={(changed) => setOnlyFailed(changed.target.checked)}
          />
          failed only
        </label>
        <span className="faint" role="status">
          {count(shown.length)} of {count(history.total)} events
          {history.isLoading && ', older ones are being loaded …'}
        </span>
      </form>
      {shown.length > 0 && (
        <div className="event head" aria-hidden="true">
          <span>#</span>
          <span>Time</span>
          <span>Type</span>
          <span>State</span>
          <span>What</span>
        </div>
      )}
      <WindowedList
        label="Events, newest first"
        rowHeight={rowHeight}
        maxHeight={event === undefined ? 560 : 300}
        count={shown.length}
        row={(index) => {
          const at = shown[index];
          return at === undefined ? null : (
            <EventRow
              event={at}
              state={visits.ofEvent.get(at.id)?.state}
              isChosen={at.id === chosen}
              onChoose={() => setChosen(at.id === chosen ? undefined : at.id)}
            />
          );
        }}
      />
      {event !== undefined && <EventDetails event={event} />}
    </>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

function EventRow(props: {
  readonly event: HistoryEvent;
  readonly state: string | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { event, state, isChosen, onChoose } = props;
  return (
    <button
      type="button"
      className={event.isFailure ? 'event failed' : 'event'}
      aria-expanded={isChosen}
      onClick={onChoose}
    >
      <span>{event.id}</span>
      <span>{clockTime(new Date(event.at))}</span>
      <span>{event.type}</span>
      <span>{state ?? ''}</span>
      <span className="faint">{summaryOf(event)}</span>
    </button>
  );
}

/** Rows are of one line: the beginning will do. */
function summaryOf(event: HistoryEvent): string {
  const error = textOf(event, 'error');
  const cause = textOf(event, 'cause');
  if (error !== undefined || cause !== undefined) {
    const why = failureMessage(cause) || cause;
    return [error, why].filter(Boolean).join(': ').slice(0, 160);
  }
  return (textOf(event, 'output') ?? textOf(event, 'input') ?? '').slice(0, 160);
}

function EventDetails({ event }: { readonly event: HistoryEvent }) {
  const entries = Object.entries(event.details).filter(([name]) => !name.endsWith('Details'));
  return (
    <section className="details" aria-label={`Event ${event.id}`}>
      <h2>
        {event.type}{' '}
        <span className="faint">
          #{event.id}, after #{event.previousId}
        </span>
      </h2>
      {entries.map(([name, value]) =>
        typeof value === 'string' ? (
          <JsonView key={name} label={name} text={value} />
        ) : (
          <JsonView key={name} label={name} value={value} />
        ),
      )}
      {entries.length === 0 && <p className="faint">It says no more than that.</p>}
    </section>
  );
}

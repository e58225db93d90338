import { useMemo } from 'react';
import { payloadsOf } from '../history/event.ts';
import { bytes, count, utf8Length } from '../parts/format.ts';
import type { History } from './use-history.ts';

/** https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const mostEvents = 25_000;
const mostPayloadBytes = 256 * 1024;

/** How near the execution is to the limits at which Step Functions ends it. */
export function Gauges({ history }: { readonly history: History }) {
  const largest = useMemo(
    () =>
      history.events
        .flatMap(payloadsOf)
        .reduce((most, text) => Math.max(most, text.length > most / 3 ? utf8Length(text) : 0), 0),
    [history.events],
  );
  if (history.total === 0) return null;
  return (
    <div className="gauges">
      <Gauge
        name="events"
        value={history.total}
        most={mostEvents}
        text={`${count(history.total)} of ${count(mostEvents)}`}
      />
      <Gauge
        name="largest state data"
        value={largest}
        most={mostPayloadBytes}
        text={`${bytes(largest)} of ${bytes(mostPayloadBytes)}`}
      />
    </div>
  );
}

function Gauge(props: {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly text: string;
}) {
  const { name, value, most, text } = props;
  return (
    <div className="gauge">
      <span>
        {name} <span className="faint">{text}</span>
      </span>
      <meter
        min={0}
        max={most}
        low={most * 0.5}
        high={most * 0.8}
        optimum={0}
        value={value}
        aria-label={`${name}: ${text}`}
      />
    </div>
  );
}

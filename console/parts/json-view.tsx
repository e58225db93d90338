import { useMemo, useState } from 'react';
import { formatExact, type Json, tryParseExact } from '../api/exact-json.ts';
import { CopyButton } from './copy-button.tsx';
import { bytes, utf8Length } from './format.ts';

/** More than that in one element makes a browser slow; the rest is a click away. */
const shownCharacters = 20_000;

/** JSON, from its text or its value, indented, with its size. What is not JSON is shown as it is. */
export function JsonView(props: {
  readonly label: string;
  readonly text?: string | undefined;
  readonly value?: unknown;
}) {
  const { label, text, value } = props;
  const [whole, setWhole] = useState(false);
  const { raw, shown } = useMemo(() => {
    const parsed = text === undefined ? (value as Json | undefined) : tryParseExact(text);
    const raw = text ?? (parsed === undefined ? '' : formatExact(parsed, 0));
    return { raw, shown: parsed === undefined ? raw : formatExact(parsed) };
  }, [text, value]);
  if (text === undefined && value === undefined) return null;
  const cut = !whole && shown.length > shownCharacters;
  return (
    <figure className="json">
      <figcaption>
        <span>
          {label} <span className="faint">{bytes(utf8Length(raw))}</span>
        </span>
        <CopyButton text={shown} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {cut ? `${shown.slice(0, shownCharacters)}…` : shown}
      </pre>
      {cut && (
        <button type="button" className="quiet small" onClick={() => setWhole(true)}>
          Show all of it
        </button>
      )}
    </figure>
  );
}

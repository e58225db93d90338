import { useState } from 'react';

/** Copies a text; says so, also to a screen reader. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    window.setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" className="quiet small" onClick={() => void copy()}>
      <span aria-live="polite">{done ? 'Copied' : label}</span>
    </button>
  );
}

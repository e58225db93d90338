import { useState } from 'react';

/** Which rows are chosen; those that are no longer shown are no longer chosen. */
export function useChoice(shown: readonly string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ids = shown.filter((id) => chosen.has(id));
  return {
    ids,
    has: (id: string) => chosen.has(id),
    toggle: (id: string) =>
      setChosen((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    clear: () => setChosen(new Set()),
  };
}

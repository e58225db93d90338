import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export type Tab = {
  readonly id: string;
  readonly label: string;
  readonly content: () => ReactNode;
};

/** Tabs as https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ has them: arrows move, Home and End too. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  const { label, tabs, onChoose } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs.find(({ id }) => id === props.chosen) ?? tabs[0];
  if (shown === undefined) return null;
  const move = (event: KeyboardEvent): void => {
    const index = tabs.indexOf(shown);
    const to = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    const next = to === undefined ? undefined : tabs[to];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <section className="card tabbed">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ id, label: name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            data-tab={id}
            aria-selected={id === shown.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === shown.id ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${shown.id}`}
        tabIndex={0}
      >
        {shown.content()}
      </div>
    </section>
  );
}

import { type ReactNode, useEffect, useId, useRef } from 'react';

/** A modal dialog: the browser's own, which keeps the focus in and closes on Escape. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) {
      dialog.showModal();
      // showModal gives the focus to the ✕; React's `autoFocus` came before there was anything to see.
      dialog.querySelector<HTMLElement>('input, select, textarea')?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={title} onClose={props.onClose}>
      <header>
        <h2 id={title}>{props.title}</h2>
        <button
          type="button"
          className="quiet"
          aria-label="Close"
          onClick={() => element.current?.close()}
        >
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

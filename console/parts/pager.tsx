type Tokens = readonly string[];

/**
 * The buttons of a list that is read page by page, newest first. `passed` are the tokens of the pages up to the one that
 * is shown, none for the first; `next` is what leads to older ones, if there are any.
 */
export function Pager(props: {
  readonly passed: Tokens;
  readonly next: string | null | undefined;
  readonly onChange: (passed: Tokens) => void;
}) {
  const { passed, next, onChange } = props;
  return (
    <div className="actions">
      {passed.length > 0 && (
        <button type="button" onClick={() => onChange(passed.slice(0, -1))}>
          Newer
        </button>
      )}
      {next != null && (
        <button type="button" onClick={() => onChange([...passed, next])}>
          Older
        </button>
      )}
    </div>
  );
}

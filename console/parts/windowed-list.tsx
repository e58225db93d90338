import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

/** Rows beyond the edges that are drawn already, so that scrolling shows no gap. */
const spare = 12;

/** A list of rows of one height of which only those in sight are in the page, however many there are. */
export function WindowedList(props: {
  readonly label: string;
  readonly rowHeight: number;
  readonly maxHeight: number;
  readonly count: number;
  readonly row: (index: number) => ReactNode;
}) {
  const { label, rowHeight, maxHeight, count, row } = props;
  const [top, setTop] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  const height = Math.min(maxHeight, count * rowHeight);
  useLayoutEffect(() => {
    const list = element.current;
    if (list !== null) setTop(list.scrollTop);
  }, [count]);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  const scroll = (event: KeyboardEvent<HTMLDivElement>): void => {
    const to = { Home: 0, End: count * rowHeight }[event.key];
    if (to !== undefined && event.target === event.currentTarget)
      event.currentTarget.scrollTop = to;
  };
  return (
    <div
      className="windowed"
      role="list"
      aria-label={label}
      tabIndex={0}
      ref={element}
      style={{ height }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={scroll}
    >
      <div role="presentation" style={{ height: count * rowHeight, position: 'relative' }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset).map(
          (index) => (
            <div
              key={index}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={count}
              style={{
                position: 'absolute',
                top: index * rowHeight,
                height: rowHeight,
                left: 0,
                right: 0,
              }}
            >
              {row(index)}
            </div>
          ),
        )}
      </div>
    </div>
  );
}

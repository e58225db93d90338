import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { signOf, toneOf } from '../parts/status.tsx';
import type { Level } from './definition.ts';
import { type Arrow, type Box, drawLevel } from './layout.ts';

/**
 * A state machine, drawn. Buttons, + and - zoom, 0 fits; dragging moves it. A state is chosen by a click or Enter, and
 * the arrow keys go from state to state along the transitions.
 */
export function StateGraph(props: {
  readonly level: Level;
  readonly statusOf: (name: string) => string;
  readonly noteOf: (name: string) => string;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}) {
  const { level, statusOf, noteOf, chosen, onChoose } = props;
  const drawing = useMemo(() => drawLevel(level), [level]);
  const { zoom, zoomBy, fit, dragging, offset } = useZoom();
  const svg = useRef<SVGSVGElement>(null);
  const pad = 10;
  const width = (drawing.width + 2 * pad) / zoom;
  const height = (drawing.height + 2 * pad) / zoom;

  const move = (event: KeyboardEvent, from: string): void => {
    const to = neighbour(drawing.arrows, from, event.key);
    if (event.key === 'Enter' || event.key === ' ') onChoose(from);
    else if (to !== undefined)
      svg.current?.querySelector<SVGElement>(`[data-state="${CSS.escape(to)}"]`)?.focus();
    else return;
    event.preventDefault();
  };
  const zoomKey = (event: KeyboardEvent): void => {
    if (event.key === '+' || event.key === '=') zoomBy(1.25);
    else if (event.key === '-') zoomBy(0.8);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  };
  return (
    <div className="graph" role="group" aria-label="State machine" onKeyDown={zoomKey}>
      <div className="zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoomBy(1.25)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoomBy(0.8)}>
          −
        </button>
        <button type="button" aria-label="Fit" onClick={fit}>
          ⤢
        </button>
      </div>
      <svg
        ref={svg}
        viewBox={`${-pad + offset.x} ${-pad + offset.y} ${width} ${height}`}
        preserveAspectRatio="xMidYMin meet"
        style={{ maxWidth: (drawing.width + 2 * pad) * 1.15 }}
        {...dragging}
      >
        <defs>
          <marker
            id="head"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" className="head" />
          </marker>
        </defs>
        {drawing.boxes.map((box) => (
          <StateBox
            key={box.state.name}
            box={box}
            status={statusOf(box.state.name)}
            note={noteOf(box.state.name)}
            isChosen={box.state.name === chosen}
            onChoose={() => onChoose(box.state.name)}
            onKeyDown={(event) => move(event, box.state.name)}
          />
        ))}
        {drawing.arrows.map((arrow, index) => (
          <ArrowLine key={index} arrow={arrow} />
        ))}
      </svg>
    </div>
  );
}

function StateBox(props: {
  readonly box: Box;
  readonly status: string;
  readonly note: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { box, status, note, isChosen, onChoose, onKeyDown } = props;
  const { state, x, y, width, height } = box;
  const isContainer = state.levels.length > 0;
  const kind = note === '' ? state.type : `${state.type} · ${note}`;
  const most = Math.floor((width - 30) / 7.4);
  const name = state.name.length > most ? `${state.name.slice(0, most - 1)}…` : state.name;
  return (
    <g
      className={`state ${toneOf(status)}${isContainer ? ' container' : ''}${isChosen ? ' chosen' : ''}`}
      role="button"
      tabIndex={0}
      data-state={state.name}
      data-status={status}
      aria-label={`${state.name} ${kind}, ${status.replaceAll('_', ' ')}`}
      aria-pressed={isChosen}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <rect x={x} y={y} width={width} height={height} rx={state.type === 'Choice' ? 20 : 6} />
      <text x={x + 12} y={y + 18} className="name">
        {signOf(status)} {name}
      </text>{' '}
      <text x={x + 12} y={y + 34} className="kind">
        {kind}
      </text>
    </g>
  );
}

function ArrowLine({ arrow }: { readonly arrow: Arrow }) {
  const { points, kind } = arrow;
  const [first, ...rest] = points;
  if (first === undefined) return null;
  return (
    <path
      className={`arrow ${kind}`}
      d={`M${first.x} ${first.y} ${rest.map(({ x, y }) => `L${x} ${y}`).join(' ')}`}
      markerEnd="url(#head)"
    />
  );
}

/** Down and right go forward along a transition, up and left go back. */
function neighbour(arrows: readonly Arrow[], from: string, key: string): string | undefined {
  if (key === 'ArrowDown' || key === 'ArrowRight') {
    const forward = arrows.filter((arrow) => arrow.from === from);
    return (key === 'ArrowRight' ? (forward[1] ?? forward[0]) : forward[0])?.to;
  }
  if (key === 'ArrowUp' || key === 'ArrowLeft')
    return arrows.find((arrow) => arrow.to === from)?.from;
  return undefined;
}

function useZoom() {
  const [zoom, setZoom] = useState(1);
  const [offset, setOffset] = useState({ x: 0, y: 0 });
  const from = useRef<{ x: number; y: number; scale: number }>(undefined);
  const fit = (): void => {
    setZoom(1);
    setOffset({ x: 0, y: 0 });
  };
  const dragging = {
    onPointerDown: ({ clientX, clientY, currentTarget }: PointerEvent<SVGSVGElement>) => {
      const scale = currentTarget.viewBox.baseVal.width / currentTarget.clientWidth;
      from.current = { x: clientX * scale + offset.x, y: clientY * scale + offset.y, scale };
    },
    onPointerMove: ({ clientX, clientY, buttons }: PointerEvent) => {
      const start = from.current;
      if (start === undefined || buttons === 0) return;
      setOffset({ x: start.x - clientX * start.scale, y: start.y - clientY * start.scale });
    },
    onPointerUp: () => {
      from.current = undefined;
    },
  };
  const zoomBy = (by: number): void => setZoom((before) => Math.min(8, Math.max(0.4, before * by)));
  return { zoom, zoomBy, fit, dragging, offset };
}

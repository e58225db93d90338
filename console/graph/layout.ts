import { Graph, layout as layOut } from '@dagrejs/dagre';
import type { GraphState, Level, Transition } from './definition.ts';

export type Point = { readonly x: number; readonly y: number };

/** A state as it is drawn; x and y are of its left upper corner, in the whole drawing. */
export type Box = {
  readonly state: GraphState;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type Arrow = {
  readonly from: string;
  readonly to: string;
  readonly kind: Transition['kind'];
  readonly points: readonly Point[];
};

export type Drawing = {
  readonly width: number;
  readonly height: number;
  /** What contains others stands before what it contains. */
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly startAt: string;
};

const lineHeight = 44;
const margin = 18;
const gap = 24;

/** Pure: each level is laid out by dagre for itself, inner levels first, and then put into its state as a whole. */
export function drawLevel(level: Level): Drawing {
  const inner = new Map(level.states.map((state) => [state.name, innerDrawing(state)]));
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 34, edgesep: 14, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const state of level.states) graph.setNode(state.name, sizeOf(state, inner.get(state.name)));
  const known = new Set(level.states.map(({ name }) => name));
  const transitions = level.states.flatMap((state) =>
    state.transitions
      .filter(({ to }) => known.has(to))
      .map((transition, index) => ({ from: state.name, id: String(index), ...transition })),
  );
  for (const { from, to, id } of transitions) graph.setEdge(from, to, {}, id);
  layOut(graph);
  const boxes = level.states.map((state) => {
    const { x, y, width, height } = graph.node(state.name);
    return { state, x: x - width / 2, y: y - height / 2, width, height };
  });
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    startAt: level.startAt,
    boxes: boxes.flatMap((box) => [box, ...moved(box, inner.get(box.state.name)).boxes]),
    arrows: [
      ...transitions.map(({ from, to, kind, id }) => ({
        from,
        to,
        kind,
        points: graph.edge(from, to, id).points ?? [],
      })),
      ...boxes.flatMap((box) => moved(box, inner.get(box.state.name)).arrows),
    ],
  };
}

/** The branches of a state side by side. */
function innerDrawing(state: GraphState): Drawing | undefined {
  if (state.levels.length === 0) return undefined;
  const drawings = state.levels.map(drawLevel);
  const height = Math.max(...drawings.map((drawing) => drawing.height));
  let left = 0;
  const placed = drawings.map((drawing) => {
    const at = shift(drawing, left, 0);
    left += drawing.width + gap;
    return at;
  });
  return {
    width: left - gap,
    height,
    startAt: '',
    boxes: placed.flatMap(({ boxes }) => boxes),
    arrows: placed.flatMap(({ arrows }) => arrows),
  };
}

function sizeOf(state: GraphState, inner: Drawing | undefined): { width: number; height: number } {
  const own = Math.min(280, Math.max(130, state.name.length * 8 + 48));
  if (inner === undefined) return { width: own, height: lineHeight };
  return {
    width: Math.max(own, inner.width + 2 * margin),
    height: inner.height + lineHeight + margin,
  };
}

const none = { boxes: [], arrows: [] } as const;

function moved(box: Box, inner: Drawing | undefined): Pick<Drawing, 'boxes' | 'arrows'> {
  if (inner === undefined) return none;
  return shift(inner, box.x + (box.width - inner.width) / 2, box.y + lineHeight);
}

const shift = (drawing: Drawing, dx: number, dy: number): Drawing => ({
  ...drawing,
  boxes: drawing.boxes.map((box) => ({ ...box, x: box.x + dx, y: box.y + dy })),
  arrows: drawing.arrows.map((arrow) => ({
    ...arrow,
    points: arrow.points.map(({ x, y }) => ({ x: x + dx, y: y + dy })),
  })),
});

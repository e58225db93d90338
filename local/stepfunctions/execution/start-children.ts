import type { Json } from '../language/json.ts';
import type { LogRecord } from './record.ts';
import type { Children, ExecutionView, OpenState, Thread } from './view.ts';

/** All branches of a Parallel start at once; their first events name ParallelStateStarted as previous. */
export function startBranches(
  view: ExecutionView,
  parent: Thread,
  open: OpenState,
  input: Json,
): Children {
  if (open.state.type !== 'Parallel') throw new Error(`'${open.state.name}' has no branches`);
  const threads = open.state.branches.map((graph, index): Thread => ({
    id: view.nextThreadId++,
    index,
    parent,
    graph,
    lastEventId: parent.lastEventId,
    variables: parent.variables,
    ...(parent.mapItem && { mapItem: parent.mapItem }),
    at: { kind: 'enter', name: graph.startAt, input },
  }));
  return { kind: 'branches', threads, inputs: [], values: [], maxConcurrency: threads.length };
}

export function startIterations(record: Extract<LogRecord, { type: 'MapStateStarted' }>): Children {
  const inputs = record.inputs ?? [];
  return {
    kind: 'iterations',
    threads: [],
    inputs,
    values: record.values ?? inputs,
    maxConcurrency: record.maxConcurrency ?? inputs.length,
  };
}

export function startIteration(
  view: ExecutionView,
  parent: Thread,
  open: OpenState,
  record: Extract<LogRecord, { type: 'MapIterationStarted' }>,
): void {
  if (open.state.type !== 'Map' || open.phase.kind !== 'children') {
    throw new Error(`'${open.state.name}' has no iterations`);
  }
  const { children } = open.phase;
  const { index } = record;
  children.threads.push({
    id: view.nextThreadId++,
    index,
    parent,
    graph: open.state.itemProcessor,
    lastEventId: record.id,
    variables: parent.variables,
    mapItem: { index, value: children.values[index] ?? null },
    at: {
      kind: 'enter',
      name: open.state.itemProcessor.startAt,
      input: children.inputs[index] ?? null,
    },
  });
}

/** The outputs of ended threads, in the order of the branches or items. */
export function collectOutputs(children: Children): Json[] {
  const outputs: Json[] = [];
  for (const thread of children.threads) {
    if (thread.at.kind === 'ended') outputs[thread.index] = thread.at.output;
  }
  return outputs;
}

export function allEnded(children: Children): boolean {
  const expected = children.kind === 'branches' ? children.threads.length : children.inputs.length;
  return (
    children.threads.length === expected &&
    children.threads.every((thread) => thread.at.kind === 'ended')
  );
}

/** How many more iterations may start now. */
export function freeSlots(children: Children): number {
  const left = children.inputs.length - children.threads.length;
  if (left <= 0) return 0;
  const running = children.threads.filter((thread) => thread.at.kind !== 'ended').length;
  return Math.max(0, Math.min(left, children.maxConcurrency - running));
}

import type { StateMachine } from '../definition/ast.ts';
import { apply } from './apply.ts';
import type { LogRecord } from './record.ts';
import type { ExecutionIdentity, ExecutionView } from './view.ts';

/** An execution before its first record. */
export function emptyView(identity: ExecutionIdentity, machine: StateMachine): ExecutionView {
  return {
    identity,
    machine,
    status: 'RUNNING',
    lastEventId: 0,
    nextThreadId: 1,
    inputText: '{}',
    input: {},
    startedAt: 0,
    redriveCount: 0,
    root: {
      id: 0,
      index: 0,
      parent: undefined,
      graph: machine,
      lastEventId: 0,
      variables: {},
      at: { kind: 'enter', name: machine.startAt, input: {} },
    },
  };
}

/** An execution as its log says it is. */
export function fold(
  identity: ExecutionIdentity,
  machine: StateMachine,
  entries: readonly string[],
): ExecutionView {
  const view = emptyView(identity, machine);
  for (const entry of entries) {
    for (const record of parseEntry(entry)) apply(view, record);
  }
  return view;
}

/** The records of a log entry, as `JSON.stringify` of them wrote it. */
export function parseEntry(entry: string): LogRecord[] {
  return JSON.parse(entry) as LogRecord[];
}

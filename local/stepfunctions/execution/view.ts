import type { State, StateGraph, StateMachine } from '../definition/ast.ts';
import type { Json } from '../language/json.ts';
import type { Variables } from '../language/scope.ts';
import type { Failure, TaskFamily } from './record.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** What is fixed when an execution starts. */
export type ExecutionIdentity = {
  readonly id: number;
  readonly arn: string;
  readonly name: string;
  readonly machineArn: string;
  readonly machineName: string;
  readonly roleArn: string;
  readonly versionArn?: string;
  readonly aliasArn?: string;
  readonly mapRunArn?: string;
  readonly express: boolean;
  readonly testCase?: TestCase;
};

/** The execution runs with mocked services (mocking/): under which machine, case and execution. */
export type TestCase = {
  readonly machineName: string;
  readonly name: string;
  /** The one that was started; a Map's children count their invocations with it. */
  readonly executionArn: string;
};

/** An execution as its log says it is: the fold of `apply` over its records, and nothing else. */
export type ExecutionView = {
  readonly identity: ExecutionIdentity;
  readonly machine: StateMachine;
  status: ExecutionStatus;
  lastEventId: number;
  nextThreadId: number;
  inputText: string;
  input: Json;
  outputText?: string;
  failure?: Failure;
  startedAt: number;
  stoppedAt?: number;
  redriveCount: number;
  redrivenAt?: number;
  readonly root: Thread;
};

/** A strand of states that run one after the other: the execution, a Parallel branch, a Map iteration. */
export type Thread = {
  readonly id: number;
  /** The branch's or iteration's place in its state; 0 for the root. */
  readonly index: number;
  readonly parent: Thread | undefined;
  readonly graph: StateGraph;
  /** The event that the next one of this thread names as its previous. */
  lastEventId: number;
  /** Those of the outer scopes included. */
  variables: Variables;
  readonly mapItem?: { readonly index: number; readonly value: Json };
  at: Position;
};

export type Position =
  | { readonly kind: 'enter'; readonly name: string; readonly input: Json }
  | { readonly kind: 'inside'; readonly open: OpenState }
  | { readonly kind: 'ended'; readonly output: Json };

/** A state that has been entered and not exited. */
export type OpenState = {
  readonly state: State;
  readonly enteredEventId: number;
  /** The thread's event before the state was entered. */
  readonly previousEventId: number;
  readonly enteredAt: number;
  readonly input: Json;
  /** Attempts used, per retrier. */
  retriesUsed: number[];
  retryCount: number;
  phase: Phase;
};

export type Phase =
  /** To be executed (the first time, or again by a retry or redrive). */
  | { readonly kind: 'entered' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'retrying'; readonly dueAt: number }
  | { readonly kind: 'attempt'; readonly attempt: Attempt }
  | { readonly kind: 'children'; readonly children: Children }
  /** A distributed Map's run: what its children have done is in the store, not in the view. */
  | { readonly kind: 'map-run'; readonly run: MapRun; readonly isRedriving: boolean }
  /** A result is there, the state's output has yet to be made of it. */
  | ({ readonly kind: 'finished'; readonly result: Json } & Made)
  | ({ readonly kind: 'failed'; readonly failure: Failure } & Made);

/** What a Parallel or Map was made of, for a redrive. */
type Made = { readonly children?: Children; readonly run?: MapRun };

export type MapRun = {
  readonly arn: string;
  /** Its MapRunStarted or latest MapRunRedriven, which the state's exit names as previous. */
  readonly startedEventId: number;
  readonly redriveCount: number;
};

/** One attempt of a Task. */
export type Attempt = {
  /** The id of its …Scheduled event: unique in the execution. */
  readonly id: number;
  readonly family: TaskFamily;
  readonly resource: string;
  readonly resourceType: string;
  readonly arguments: Json;
  readonly credentials?: Json;
  readonly token?: string;
  readonly timeoutSeconds?: number;
  readonly heartbeatSeconds?: number;
  stage: 'scheduled' | 'started' | 'submitted';
  startedAt: number;
  heartbeatAt: number;
  /** What the service answered to the call of a `.sync` or `.waitForTaskToken` task. */
  submitted?: Json;
};

/** The threads of a Parallel or inline Map. */
export type Children = {
  readonly kind: 'branches' | 'iterations';
  readonly threads: Thread[];
  /** Of a Map: the inputs of all iterations, those not started included. */
  readonly inputs: readonly Json[];
  /** Of a Map: the items before ItemSelector, for `$$.Map.Item.Value`. */
  readonly values: readonly Json[];
  readonly maxConcurrency: number;
};

/** The threads that can act: those whose state has no children of its own running. */
export function* leaves(thread: Thread): Generator<Thread> {
  if (thread.at.kind === 'inside' && thread.at.open.phase.kind === 'children') {
    for (const child of thread.at.open.phase.children.threads) yield* leaves(child);
  } else if (thread.at.kind !== 'ended') {
    yield thread;
  }
}

export function findThread(view: ExecutionView, id: number): Thread | undefined {
  for (const thread of leaves(view.root)) if (thread.id === id) return thread;
  return undefined;
}

export function openOf(thread: Thread): OpenState {
  if (thread.at.kind !== 'inside') throw new Error(`thread ${thread.id} is in no state`);
  return thread.at.open;
}

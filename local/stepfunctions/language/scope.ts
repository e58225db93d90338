import type { Json, JsonObject } from './json.ts';

export type Variables = Readonly<Record<string, Json>>;

/** `$states.errorOutput`, and what a Catch puts at its ResultPath. */
export type ErrorOutput = { Error: string; Cause: string };

/** Everything a state's expressions may read. */
export type Scope = {
  readonly stateName: string;
  /** The id of the StateEntered event, which AWS quotes in causes; absent in TestState, whose causes go without. */
  readonly enteredEventId?: number;
  /** The state's raw input, before InputPath. */
  readonly input: Json;
  /** The context object, `$$` and `$states.context`; made only if an expression asks for it: most do not. */
  readonly context: () => JsonObject;
  /** The workflow variables visible here, outer scopes included. */
  readonly variables: Variables;
  /** `$states.result`, while a Task, Parallel or Map is being finished. */
  readonly result?: Json;
  /** `$states.errorOutput`, while an error is being caught. */
  readonly errorOutput?: ErrorOutput;
};

/** The steps TestState shows; each function of the data flow reports those it takes. */
export type InspectionStep =
  | 'afterInputPath'
  | 'afterParameters'
  | 'afterArguments'
  | 'afterResultSelector'
  | 'afterResultPath'
  | 'afterItemsPath'
  | 'afterItemSelector'
  | 'afterItemBatcher'
  | 'afterItemsPointer';
export type Recorder = (step: InspectionStep, value: Json) => void;

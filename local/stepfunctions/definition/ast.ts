import type { ComparisonOperator } from '../language/compare-values.ts';
import type { Json, JsonObject } from '../language/json.ts';
import type { JsonPath } from '../language/jsonpath/jsonpath.ts';
import type { ReferencePath } from '../language/jsonpath/reference-path.ts';
import type { Template } from '../language/template.ts';

/**
 * The typed state machine: what `parseDefinition` makes of an Amazon States Language text.
 * One field serves both query languages where the fields are each other's counterpart
 * (`arguments`: Parameters and Arguments); a `Template` knows its own language.
 * https://states-language.net/spec.html
 */
export type QueryLanguage = 'JSONPath' | 'JSONata';

/** A set of states run from one start: a whole machine, a branch, an item processor. */
export type StateGraph = {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
};

export type StateMachine = StateGraph & {
  readonly comment?: string;
  readonly queryLanguage: QueryLanguage;
  readonly timeoutSeconds?: number;
  /** The definition as parsed JSON. */
  readonly source: JsonObject;
};

export type State =
  | PassState
  | TaskState
  | ChoiceState
  | WaitState
  | SucceedState
  | FailState
  | ParallelState
  | MapState;

/** A path as written, and compiled. `null` in InputPath and OutputPath means "{}". */
export type PathField = { readonly field: string; readonly path: JsonPath };

/** A number given outright, by a path (JSONPath) or by an expression (JSONata). */
export type NumberField =
  | { readonly kind: 'value'; readonly value: number }
  | ({ readonly kind: 'path' } & PathField)
  | { readonly kind: 'expression'; readonly field: string; readonly template: Template };

/** A text given outright, by a path or intrinsic call (JSONPath) or by an expression (JSONata). */
export type TextField =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'path'; readonly field: string; readonly template: Template }
  | { readonly kind: 'expression'; readonly field: string; readonly template: Template };

/** A moment given outright, by a path (JSONPath) or by an expression (JSONata). */
export type TimestampField =
  | { readonly kind: 'value'; readonly value: string }
  | ({ readonly kind: 'path' } & PathField)
  | { readonly kind: 'expression'; readonly field: string; readonly template: Template };

type Common = {
  readonly name: string;
  readonly queryLanguage: QueryLanguage;
  readonly comment?: string;
};

/** `next` is absent where the state has `End: true`. */
type Transition = { readonly next?: string };

type InputOutput = {
  readonly inputPath?: PathField | null;
  readonly outputPath?: PathField | null;
  readonly output?: Template;
};

type Assigning = { readonly assign?: Template };

type ResultHandling = {
  readonly resultSelector?: Template;
  /** Absent: the result replaces the input; `null`: the result is discarded. */
  readonly resultPath?: ReferencePath | null;
};

type ErrorHandling = { readonly retry: readonly Retrier[]; readonly catch: readonly Catcher[] };

export type PassState = Common &
  Transition &
  InputOutput &
  Assigning &
  Pick<ResultHandling, 'resultPath'> & {
    readonly type: 'Pass';
    readonly result?: Json;
    readonly arguments?: Template;
  };

export type TaskState = Common &
  Transition &
  InputOutput &
  Assigning &
  ResultHandling &
  ErrorHandling & {
    readonly type: 'Task';
    readonly resource: string;
    readonly arguments?: Template;
    readonly credentials?: Template;
    readonly timeoutSeconds?: NumberField;
    readonly heartbeatSeconds?: NumberField;
  };

export type ChoiceState = Common &
  InputOutput &
  Assigning & {
    readonly type: 'Choice';
    readonly choices: readonly ChoiceRule[];
    readonly default?: string;
  };

export type WaitState = Common &
  Transition &
  InputOutput &
  Assigning & {
    readonly type: 'Wait';
    readonly seconds?: NumberField;
    readonly timestamp?: TimestampField;
  };

export type SucceedState = Common & InputOutput & { readonly type: 'Succeed' };

export type FailState = Common & {
  readonly type: 'Fail';
  readonly error?: TextField;
  readonly failCause?: TextField;
};

export type ParallelState = Common &
  Transition &
  InputOutput &
  Assigning &
  ResultHandling &
  ErrorHandling & {
    readonly type: 'Parallel';
    readonly arguments?: Template;
    readonly branches: readonly StateGraph[];
  };

export type MapState = Common &
  Transition &
  InputOutput &
  Assigning &
  ResultHandling &
  ErrorHandling & {
    readonly type: 'Map';
    readonly itemProcessor: StateGraph;
    readonly processorConfig: ProcessorConfig;
    /** ItemsPath (JSONPath) or Items (JSONata); absent: the effective input. */
    readonly itemsPath?: PathField;
    readonly items?: Template;
    /** ItemSelector, or Parameters of the older form. */
    readonly itemSelector?: Template;
    readonly itemReader?: ItemReader;
    readonly itemBatcher?: ItemBatcher;
    readonly resultWriter?: ResultWriter;
    readonly maxConcurrency?: NumberField;
    readonly toleratedFailureCount?: NumberField;
    readonly toleratedFailurePercentage?: NumberField;
    readonly label?: string;
  };

export type ProcessorConfig =
  | { readonly mode: 'INLINE' }
  | { readonly mode: 'DISTRIBUTED'; readonly executionType: 'STANDARD' | 'EXPRESS' };

export type ItemReader = {
  readonly resource: string;
  readonly arguments?: Template;
  /** ReaderConfig as written, without MaxItems and MaxItemsPath. */
  readonly readerConfig: JsonObject;
  readonly maxItems?: NumberField;
};

export type ItemBatcher = {
  readonly maxItemsPerBatch?: NumberField;
  readonly maxInputBytesPerBatch?: NumberField;
  readonly batchInput?: Template;
};

export type ResultWriter = {
  readonly resource?: string;
  readonly arguments?: Template;
  readonly writerConfig?: JsonObject;
};

export type Retrier = {
  readonly errorEquals: readonly string[];
  readonly intervalSeconds: number;
  readonly maxAttempts: number;
  readonly backoffRate: number;
  readonly maxDelaySeconds?: number;
  readonly jitterStrategy: 'FULL' | 'NONE';
};

export type Catcher = Assigning & {
  readonly errorEquals: readonly string[];
  readonly next: string;
  /** Absent: the error output replaces the input; `null`: it is discarded. */
  readonly resultPath?: ReferencePath | null;
  readonly output?: Template;
};

export type ChoiceRule = Assigning & {
  readonly condition: Condition;
  readonly next: string;
  readonly output?: Template;
};

/** A rule's test: a JSONata Condition, a comparison, or And, Or, Not of conditions. */
export type Condition =
  | { readonly kind: 'expression'; readonly field: string; readonly template: Template }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'presence'; readonly variable: JsonPath; readonly expected: boolean }
  | {
      readonly kind: 'comparison';
      readonly variable: JsonPath;
      readonly operator: ComparisonOperator;
      readonly operand: Operand;
    };

export type Operand =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'path'; readonly path: JsonPath };

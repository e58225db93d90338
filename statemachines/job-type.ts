import type { TSchema } from 'typebox';

/** One Lambda function that a job type's state machine calls: a file `tasks/<name>.ts` that exports `handler`. */
export type TaskSettings = {
  /** kebab-case; the definition names it as `${PascalCase}`. */
  readonly name: string;
  /** Lambda's own limit; smaller than the `TimeoutSeconds` of the states that call it. */
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
};

/** A call to somebody else's system that this type makes, through the effect log. */
export type EffectSettings = {
  readonly provider: 'webhook' | 'payment' | 'email';
  readonly operation: string;
};

/** What a folder of `statemachines/` says about its job type; the ASL stands beside it in `definition.asl.json`. */
export type JobType = {
  /** kebab-case, the folder's name; the state machine is `pawl-<type>`. */
  readonly type: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of `input`. */
  readonly inputSchema: TSchema;
  readonly payload: 'required' | 'optional' | 'none';
  readonly maxPayloadBytes: number;
  /** The definition's own top-level `TimeoutSeconds`; a job without a sign of life after it is looked for. */
  readonly timeoutSeconds: number;
  /**
   * What a FAILED job does to the later jobs of its ordering key: `block` until it succeeds by redrive or is
   * cancelled, or let them `continue`.
   */
  readonly afterFailure: 'block' | 'continue';
  /**
   * Until when a job may be cancelled or expire: `until-final` (default), or only `until-started`, for a type that
   * compensates by itself what it has begun.
   */
  readonly stoppable?: 'until-final' | 'until-started';
  readonly tasks: readonly TaskSettings[];
  readonly effects: readonly EffectSettings[];
};

/** Gives `settings` its type; a job type's `job-type.ts` has this call as its default export. */
export const defineJobType = (settings: JobType): JobType => settings;

/** `validate-payload` as the definition writes it: `ValidatePayload`. */
export const substitutionOf = (taskName: string): string =>
  taskName.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The name of a task's Lambda function. */
export const functionNameOf = (taskName: string): string => `pawl-${taskName}`;

/** The name of a job type's state machine. */
export const stateMachineNameOf = (type: string): string => `pawl-${type}`;

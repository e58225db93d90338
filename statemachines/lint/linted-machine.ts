import type { TaskSettings } from '../job-type.ts';
import type { RegisteredJobType } from '../registry.ts';
import type { AslObject, NamedState } from './named-states.ts';

/** What is wrong with a state, why it matters, and how it is mended. */
export type Problem = {
  readonly rule: string;
  /** The state, or undefined where it is the machine as a whole. */
  readonly state?: string;
  readonly what: string;
  readonly why: string;
  readonly mend: string;
};

/** A definition with what its job type says of it. */
export type LintedMachine = {
  readonly jobType: RegisteredJobType;
  readonly definition: AslObject;
  readonly states: readonly NamedState[];
  readonly taskOf: (state: NamedState) => TaskSettings | undefined;
  /** Whether the state's task goes through the effect log. */
  readonly callsProvider: (state: NamedState) => boolean;
  readonly effectLog: EffectLogPace;
};

/** What the effect log itself adds to the time between two calls of a provider. */
export type EffectLogPace = {
  readonly leaseSeconds: number;
  /** At most so long it waits before it calls again. */
  readonly jitterSeconds: number;
};

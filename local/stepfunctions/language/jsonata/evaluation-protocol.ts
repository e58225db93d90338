import type { Bindings, Outcome } from './expression-outcome.ts';

/** AWS: "about one second" for an expression. */
export const evaluationTimeoutMs = 1_000;

/** What goes to an evaluation process, and what comes back. */
export type EvaluationRequest = { readonly text: string; readonly bindings: Bindings };

export type EvaluationAnswer =
  | { readonly kind: 'started' }
  | { readonly kind: 'ended'; readonly outcome: Outcome };

import type { Bindings, Outcome } from './expression-outcome.ts';

/** AWS: "about one second" for an expression. */
export const evaluationTimeoutMs = 1_000;

export type WorkerRequest = { readonly text: string; readonly bindings: Bindings };

export type WorkerAnswer =
  | { readonly kind: 'started' }
  | { readonly kind: 'ended'; readonly outcome: Outcome };

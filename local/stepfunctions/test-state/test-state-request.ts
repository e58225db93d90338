import type { Json, JsonObject } from '../language/json.ts';

/** The members of TestState's request; texts that hold JSON are parsed here, not before. */
export type TestStateRequest = {
  readonly definition: string;
  readonly stateName?: string;
  readonly roleArn?: string;
  readonly input?: string;
  readonly variables?: string;
  readonly context?: string;
  readonly inspectionLevel?: 'INFO' | 'DEBUG' | 'TRACE';
  readonly revealSecrets?: boolean;
  readonly mock?: Mock;
  readonly stateConfiguration?: StateConfiguration;
};

export type Mock = {
  readonly result?: string;
  readonly errorOutput?: { readonly error?: string; readonly cause?: string };
  readonly fieldValidationMode?: 'STRICT' | 'PRESENT' | 'NONE';
};

export type StateConfiguration = {
  readonly retrierRetryCount?: number;
  readonly errorCausedByState?: string;
  readonly mapIterationFailureCount?: number;
  readonly mapItemReaderData?: string;
};

/** `output` and the values in `inspectionData` are JSON texts. */
export type TestStateResponse = {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'RETRIABLE' | 'CAUGHT_ERROR';
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
  readonly nextState?: string;
  readonly inspectionData?: InspectionData;
};

export type InspectionData = Record<string, string | number | ErrorDetails>;

export type ErrorDetails = {
  readonly catchIndex?: number;
  readonly retryIndex?: number;
  readonly retryBackoffIntervalSeconds?: number;
};

/** How a Task without a mock is run, once: its result, or the error it ended with. */
export type RunTask = (call: {
  readonly resource: string;
  readonly arguments: Json;
  readonly credentials?: Json;
  readonly timeoutSeconds?: number;
  readonly context: JsonObject;
}) => Promise<{ readonly result: Json } | { readonly error?: string; readonly cause?: string }>;

export type TestStateDependencies = {
  readonly runTask: RunTask;
  readonly region: string;
  readonly accountId: string;
  readonly now: () => Date;
  readonly random: () => number;
};

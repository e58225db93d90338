// How long a call to Step Functions takes at most, and what follows from it for who has a message in hand.

/** Of each try; the SDK's request handler and retries are set by these. */
const connectionTimeoutMs = 2_000;
const requestTimeoutMs = 5_000;
const tries = 2;
/** What the SDK waits between two tries at most: full jitter over 500 ms for throttling, doubled. */
const betweenTriesMs = 1_000;

/** One try, from connecting to the beginning of the answer. */
export const longestTryMs = connectionTimeoutMs + requestTimeoutMs;

/** For `new SFNClient`: every call ends by itself, so that a hung server opens the circuit. */
export const stepFunctionsClient = {
  maxAttempts: tries,
  requestHandler: {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    throwOnRequestTimeout: true,
  },
} as const;

/** After so long a call of it has nothing on the way any more that could still reach Step Functions. */
export const longestCallMs = tries * longestTryMs + (tries - 1) * betweenTriesMs;

/** The lease on a message in hand is renewed so often while work on it goes on. */
export const claimRenewalMs = 5_000;

/**
 * A call begins only while the lease lasts longer than the call can. With a renewal that comes late by one interval,
 * because the database is slow, there is still time for one. Shorter than the queue's visibility timeout (30 s), so
 * that the message of a consumer that died is free when it comes back.
 */
export const claimLeaseMs = longestCallMs + 2 * claimRenewalMs;

/** One process that the supervisor keeps running. */
export interface Service {
  readonly name: string;
  /** Starts the process and resolves when it is ready for work; rejects, having ended it, when it does not get there or is aborted. */
  start(aborted: AbortSignal): Promise<RunningService>;
}

export interface RunningService {
  readonly pid: number;
  /** Settles, saying how, when the process has ended. */
  readonly ended: Promise<string>;
  /** Asks it to end and makes it end after `graceMs`. May be called twice. */
  stop(graceMs: number): Promise<void>;
}

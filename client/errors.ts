import type { Job, Problem } from './api-types.ts';

/** The API refused a call; `problem` says why (RFC 9457). */
export class PawlProblem extends Error {
  override readonly name = 'PawlProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    const errors = (problem.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
    super(
      [problem.title, problem.detail, ...errors].filter((part) => part !== undefined).join('; '),
    );
    this.problem = problem;
  }
}

/** No answer could be had, however often it was tried. Whether the last try was heard is not known. */
export class PawlUnreachable extends Error {
  override readonly name = 'PawlUnreachable';
}

/** The job ended, and not with SUCCEEDED. */
export class JobNotSucceeded extends Error {
  override readonly name = 'JobNotSucceeded';
  readonly job: Job;
  constructor(job: Job) {
    super(
      job.failure === null
        ? `job ${job.jobId} is ${job.status}`
        : `job ${job.jobId} failed: ${job.failure.code}: ${job.failure.message}`,
    );
    this.job = job;
  }
}

/** S3 refused the bytes; its answer says why. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
}

import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type JobStatus, jobStatuses } from './store/find-job.ts';

/** What is done to all jobs that match: redriven, or cancelled. */
export type BulkVerb = 'redrive' | 'cancel';

/**
 * Which jobs are meant; a member that is not there asks for nothing. Without a status: the FAILED ones to redrive, the
 * open ones to cancel.
 */
export type BulkFilter = {
  readonly status?: JobStatus | undefined;
  readonly type?: string | undefined;
  /** The code of its failure. */
  readonly code?: string | undefined;
  /** Any part of its failure's message, in either case. */
  readonly failureText?: string | undefined;
  /** `name`, whatever its value, or `name:value`. */
  readonly tag?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
};

/** As it was asked for and is stored. */
const asked = Compile(
  Type.Object(
    {
      status: Type.Optional(Type.Enum([...jobStatuses])),
      type: Type.Optional(Type.String()),
      code: Type.Optional(Type.String()),
      failureText: Type.Optional(Type.String()),
      tag: Type.Optional(Type.String()),
      createdAfter: Type.Optional(Type.String()),
      createdBefore: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
);

/** Reads a filter as it was asked for. Throws where a member is not known: it would match more than was meant. */
export function readBulkFilter(value: unknown): BulkFilter {
  if (!asked.Check(value)) {
    throw new Error(`this filter of a bulk operation is not known: ${JSON.stringify(value)}`);
  }
  const { createdAfter, createdBefore, ...same } = value;
  return {
    ...same,
    createdAfter: createdAfter === undefined ? undefined : new Date(createdAfter),
    createdBefore: createdBefore === undefined ? undefined : new Date(createdBefore),
  };
}

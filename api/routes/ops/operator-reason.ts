import { Type } from 'typebox';

/** Why an operator does something; stands in the audit. */
export const reason = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' });

/** How much is done in one request; what is left is told, and done by asking again. */
export const mostAtOnce = 1_000;
export const timeLimitMs = 8_000;

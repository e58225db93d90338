import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export const inputSchema = Type.Object(
  {
    /** The job fails while there is a file of this path. */
    closedWhile: Type.Optional(Type.String()),
    /** With which message it then fails. */
    message: Type.Optional(Type.String()),
    /** How often its first state fails before it succeeds. */
    stumbles: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
    kind: Type.Optional(Type.Enum(['short', 'long'])),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'tour',
  description: 'Passes through every kind of state, then fails as long as its gate is closed.',
  inputSchema,
  payload: 'optional',
  maxPayloadBytes: 200_000_000,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'tour-step', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'tour-gate', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 128 },
  ],
  effects: [{ provider: 'webhook', operation: 'tour.announced' }],
});

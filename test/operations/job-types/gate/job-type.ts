import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export const inputSchema = Type.Object(
  {
    /** The job fails while there is a file of this path. */
    closedWhile: Type.String(),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'gate',
  description: 'Calls the webhook once, then fails as long as its gate is closed.',
  inputSchema,
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'pass-gate', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 128 },
  ],
  effects: [{ provider: 'webhook', operation: 'gate.announced' }],
});

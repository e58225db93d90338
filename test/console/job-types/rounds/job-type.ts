import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export const inputSchema = Type.Object(
  {
    /** The last round fails while there is a file of this path. */
    closedWhile: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'rounds',
  description: 'Goes three rounds, each a child execution of its own.',
  inputSchema,
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'rounds-gate', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 128 },
  ],
  effects: [],
});

import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export default defineJobType({
  type: 'laps',
  description: 'Goes round and round until its history is nearly as long as one may be.',
  inputSchema: Type.Object({}, { additionalProperties: false }),
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 128 },
  ],
  effects: [],
});

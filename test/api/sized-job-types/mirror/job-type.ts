import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export default defineJobType({
  type: 'mirror',
  description: 'Says what the task was given',
  inputSchema: Type.Unknown(),
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'look-at-input', timeoutSeconds: 20, memoryMb: 128 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 128 },
  ],
  effects: [],
});

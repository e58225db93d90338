import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export default defineJobType({
  type: 'hello',
  description: 'A job type of its own folder, as somebody would add one.',
  inputSchema: Type.Object({ name: Type.String() }, { additionalProperties: false }),
  payload: 'none',
  maxPayloadBytes: 1,
  timeoutSeconds: 300,
  afterFailure: 'block',
  tasks: [
    { name: 'say-hello', timeoutSeconds: 10, memoryMb: 256 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [],
});

import { Type } from 'typebox';
import { defineJobType } from '../../../statemachines/job-type.ts';

/** Five Tasks with one commit of the application each, no payload and no provider: what the benchmarks measure. */
export default defineJobType({
  type: 'five-steps',
  description: 'Benchmark: five durable steps, each with one write.',
  inputSchema: Type.Object({ n: Type.String() }, { additionalProperties: false }),
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 600,
  afterFailure: 'continue',
  tasks: [
    { name: 'record-step', timeoutSeconds: 20, memoryMb: 256 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 256 },
  ],
  effects: [],
});

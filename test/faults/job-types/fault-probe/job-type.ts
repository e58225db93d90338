import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

export const inputSchema = Type.Object(
  {
    /** The effect key's domain part, and what the provider knows the work by. */
    key: Type.String({ minLength: 1, maxLength: 200 }),
    /** What is hashed; never in a log. */
    text: Type.String({ maxLength: 10_000 }),
  },
  { additionalProperties: false },
);

/** As small as a job can be that reads, calls a provider and ends; its retries outlast every fault of the tests. */
export default defineJobType({
  type: 'fault-probe',
  description: 'Hashes its input and tells the webhook provider, for the fault tests.',
  inputSchema,
  payload: 'none',
  maxPayloadBytes: 1,
  timeoutSeconds: 300,
  afterFailure: 'continue',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'probe-hash', timeoutSeconds: 10, memoryMb: 512 },
    { name: 'probe-notify', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [{ provider: 'webhook', operation: 'probe' }],
});

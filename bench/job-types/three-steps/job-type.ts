import { defineJobType } from '../../../statemachines/job-type.ts';
import fiveSteps from '../five-steps/job-type.ts';

/** The last three steps of five-steps alone: what is left to do of one that failed in the third. */
export default defineJobType({
  ...fiveSteps,
  type: 'three-steps',
  description: 'Benchmark: three durable steps, each with one write.',
  tasks: [
    { name: 'record-late-step', timeoutSeconds: 20, memoryMb: 256 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 256 },
  ],
});

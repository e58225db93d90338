import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

/** Takes anything and asks for nothing: what the API does with a job, without what a job does. */
export default defineJobType({
  type: 'echo',
  description: 'Ends as it began',
  inputSchema: Type.Unknown(),
  payload: 'optional',
  maxPayloadBytes: 1_000_000,
  timeoutSeconds: 60,
  afterFailure: 'block',
  tasks: [],
  effects: [],
});

import { Type } from 'typebox';
import { defineJobType } from '../../../../../statemachines/job-type.ts';

const task = (name: string, timeoutSeconds = 10) => ({ name, timeoutSeconds, memoryMb: 128 });

export default defineJobType({
  type: 'probe',
  description: 'Functions that behave in every way the Invoke API has to answer for.',
  inputSchema: Type.Object({}),
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 60,
  afterFailure: 'continue',
  tasks: [
    task('probe-echo'),
    task('probe-fail'),
    task('probe-slow', 1),
    task('probe-hang', 1),
    task('probe-crash'),
    task('probe-large'),
  ],
  effects: [],
});

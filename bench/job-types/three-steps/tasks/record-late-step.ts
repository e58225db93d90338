// One task name is one file everywhere, so that of five-steps has a second name here.
export { handler } from '../../five-steps/tasks/record-step.ts';

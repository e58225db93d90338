export { handler } from '../../fault-probe/tasks/probe-notify.ts';

export { handler } from '../../fault-probe/tasks/probe-hash.ts';

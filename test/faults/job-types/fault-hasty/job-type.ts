import { defineJobType } from '../../../../statemachines/job-type.ts';
import probe from '../fault-probe/job-type.ts';

/** The tasks of fault-probe in a Parallel, with few retries: what fails, fails within seconds. */
export default defineJobType({
  ...probe,
  type: 'fault-hasty',
  description: 'Hashes its input beside telling the webhook provider, and gives up soon.',
  afterFailure: 'block',
  tasks: probe.tasks.map((task) => ({ ...task, name: task.name.replace('probe-', 'hasty-') })),
});

import { existsSync } from 'node:fs';
import { Type } from 'typebox';
import { Terminal } from '../../../../../jobs/failure.ts';
import { defineChildTask } from '../../../../../tasks/runtime/define-child-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);

export const handler = defineChildTask(
  'rounds-gate',
  async ({ job }, { round }) => {
    const { closedWhile } = inputOf(job);
    if (round === 3 && closedWhile !== undefined && existsSync(closedWhile)) {
      throw new Terminal('EXECUTION_FAILED', 'the last round meets a closed gate');
    }
    return {};
  },
  Type.Object({ round: Type.Integer() }),
);

import type { PayloadPin } from '../payload-reference.ts';
import type { Sql } from './connect.ts';
import type { Fence } from './open-run.ts';

/** Keeps what validation saw, for every later read of this run. Gives false where the fence does not hold. */
export async function storePayloadPin(sql: Sql, fence: Fence, pin: PayloadPin): Promise<boolean> {
  const rows = await sql`
    update jobs set payload_pin = ${sql.json(pin)}
    where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
      and redrive_count = ${fence.redriveCount} and status = 'RUNNING'
    returning job_id`;
  return rows.length === 1;
}

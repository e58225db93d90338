import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';

export type IrrevocableEffect = {
  readonly effectKey: string;
  readonly provider: string;
  readonly operation: string;
  readonly status: 'COMPLETED' | 'CALLING' | 'UNKNOWN';
};

/** What a job has done, or may have done, to other systems: cancelling does not undo it. */
export async function findIrrevocableEffects(sql: Sql, jobId: JobId): Promise<IrrevocableEffect[]> {
  return await sql<IrrevocableEffect[]>`
    select effect_key as "effectKey", provider, operation, status from external_effects
    where job_id = ${jobId} and status in ('COMPLETED', 'CALLING', 'UNKNOWN')
    order by created_at limit 1000`;
}

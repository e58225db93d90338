import { Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { validatePayload } from '../jobs/payload.ts';
import { parsePayloadReference, payloadReferenceProblem } from '../jobs/payload-reference.ts';
import { storePayloadPin } from '../jobs/store/payload-pin.ts';
import { defineTask } from './runtime/define-task.ts';

/**
 * Hashes the payload's bytes and pins what was seen, before anything is written or any provider is called.
 * `maxPayloadBytes` is the job type's own limit, a constant of its definition.
 */
export const handler = defineTask(
  'validate-payload',
  async ({ job, fence, sql, s3, config }, { maxPayloadBytes }) => {
    const reference = parsePayloadReference(job.payloadRef);
    const { tenantId } = job;
    const problem = payloadReferenceProblem(reference, { bucket: config.payloadBucket, tenantId });
    if (problem !== undefined) throw new Terminal('INPUT_INVALID', `payloadRef: ${problem}`);
    const pin = await validatePayload(s3, reference, maxPayloadBytes);
    if (!(await storePayloadPin(sql, fence, pin))) {
      throw new Terminal('JOB_NOT_RUNNABLE', 'the job moved on while its payload was validated');
    }
    return { bytes: pin.bytes };
  },
  Type.Object({ maxPayloadBytes: Type.Integer({ minimum: 1 }) }),
);

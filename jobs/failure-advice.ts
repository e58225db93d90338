import type { FailureCode } from './failure-codes.ts';

/** What a person does about a failure, by its code; a code without advice does not compile. */
export const failureAdvice: Readonly<Record<FailureCode, string>> = {
  // The job and its request
  JOB_NOT_RUNNABLE:
    'Nothing, where the job was cancelled, has expired or was redriven: an older execution was still at work and was kept from writing. Where the message says that its ordering key or uniqueKey is in use, somebody redrove the execution in AWS’s console while another job had the key: redrive the job when that one is final. Where no such thing stands in the job’s events, look for somebody who started an execution of this name by hand.',
  JOB_TYPE_UNKNOWN:
    'The API took a type that the worker does not know: api and worker run different versions, or JOB_TYPE_DIRS differs. Deploy the state machine and the worker, then redrive with mode restart.',
  INPUT_INVALID:
    'The input was taken by a version of the type that asked for less. Submit a new job with an input that fits, or deploy a version that takes the old one and restart.',
  START_REFUSED:
    'Read AWS’s reason in the message. Mostly the state machine is missing or being deleted, or the worker’s role lacks states:StartExecution. Mend that and restart.',
  ATTEMPTS_EXHAUSTED:
    'The message says what the last attempt failed with: follow that code. When it is mended, redrive; many of them at once with a bulk redrive.',
  // The execution
  EXECUTION_ABORTED:
    'Somebody stopped the execution in AWS’s console or by its API; CloudTrail says who. Redrive it (resume) unless there was a reason.',
  EXECUTION_TIMED_OUT:
    'See in the timeline (GET /jobs/:jobId/execution) which state took the time. Resume gives the machine its whole TimeoutSeconds again; where that will not do, mend the state or raise the timeout and restart.',
  EXECUTION_FAILED:
    'The message holds the error and its cause as Step Functions wrote them: an error in the definition (States.*) or from a service that a state calls. Mend it; resume runs the recorded definition, so after a change of the definition restart.',
  MAP_RUN_FAILED:
    'A child that failed gives the job its own code; here none did, or Step Functions did not show it. See the log of their task, under the job’s id, and the Map Run’s list of executions. When it is mended: resume, which runs the failed and the unstarted children only.',
  EXECUTION_LOST:
    'Step Functions knows no execution, or one that succeeded without mark-succeeded. Check that the last state of the machine is MarkSucceeded, then restart: what was done is not done again.',
  STATE_TIMED_OUT:
    'A task took longer than its state allows, after all retries. See its duration in the timeline, and whether the database or a provider was slow at that time. Resume when it is over.',
  TASK_CRASHED:
    'The function died: out of memory, killed, or it could not be invoked. Its log has the last words; a document that needs more memory than memoryMb is a usual cause. Mend it and resume.',
  TASK_FAULT:
    'A bug in a task: the log has the stack, under the job’s id. Mend and deploy it, then resume; all jobs with this code at once with a bulk redrive.',
  EXECUTION_STILL_RUNNING:
    'The older execution is being stopped; the redrive goes on by itself when it is closed. If it stays, stop the execution in AWS’s console.',
  REDRIVE_REFUSED:
    'Step Functions would not resume the execution; its reason is the message (14 days have passed, the history is full). Redrive with mode restart: effects that are done are not repeated.',
  // The payload
  PAYLOAD_NOT_FOUND:
    'The client did not upload the bytes, or somebody deleted them. After the upload under the very same key: resume. Otherwise submit a new job.',
  PAYLOAD_ACCESS_DENIED:
    'The tasks’ role may not read the object, or it does not exist (S3 answers 403 for both without s3:ListBucket). Check the bucket policy and the KMS key, then resume.',
  PAYLOAD_CHECKSUM_MISMATCH:
    'The bytes in S3 are not the ones whose SHA-256 was promised. Nothing was written from them. The client uploads again and submits a new job.',
  PAYLOAD_CHANGED:
    'The object was replaced while the job was at work, so its parts do not belong together. Submit a new job for the new bytes.',
  PAYLOAD_TOO_LARGE:
    'Split the payload, or raise maxPayloadBytes of the job type, deploy, and restart.',
  // The document
  DOCUMENT_ENCRYPTED: 'The client removes the password and submits a new job.',
  DOCUMENT_DAMAGED:
    'The client checks the file: it is cut short, or its content is not what its name or type says. A repaired file is a new job.',
  DOCUMENT_TOO_COMPLEX:
    'Reading it passed a limit of time, memory or pixels that keeps hostile files from doing harm. For a file that is needed: raise the limit of the task, deploy, and resume.',
  VERSION_CONFLICT:
    'Two different files were submitted as the same version of one document; the first one stands. The client submits the right one under a new version.',
  // The import
  IMPORT_UNREADABLE:
    'Nothing was imported. The message says what the payload is, or which columns it has: the client mends the file or keyField and submits a new job.',
  TOO_MANY_ROWS_FAILED:
    'The message says how many rows failed and where the list of lines and reasons is (GET /jobs/:jobId/errors, `npm run pawl -- errors <jobId>`). The client mends those rows and imports the file again: rows that are there already are only replaced. Or it submits the job with a larger toleratedFailurePercentage.',
  // The order
  SKU_UNKNOWN:
    'The client named an article that the shop does not have. Put it into stock (PUT /ops/stock/<sku>) and restart, or let the client submit another order.',
  OUT_OF_STOCK:
    'Nothing was reserved and nobody was charged. When there is stock again: restart. Else tell the customer.',
  PRICE_CHANGED:
    'The client computed with an old price; nothing was reserved. It submits the order again with the price of today.',
  ORDER_CONFLICT:
    'Two jobs are about one order, or a person changed it meanwhile. The message names the other job: the order is that one’s. Redrive that, not this.',
  PAYMENT_DECLINED:
    'Compensated: the stock is back and nothing was paid. A restart asks for a new payment, where the customer wants to try again. A resume would only fail again.',
  PAYMENT_TIMED_OUT:
    'Compensated: the payment was voided and the stock is back. A restart asks for a new payment. A success that comes after the void is held: see GET /ops/callbacks.',
  PAYMENT_MISMATCH:
    'The provider confirmed another amount than was asked for. Find out from the provider what was taken; refund or correct it there before anything is redriven.',
  // Providers and the effect log
  EFFECT_IN_PROGRESS:
    'Two attempts met; the other one has it. Where a job fails with this, the first one’s process was stopped for long: resume.',
  EFFECT_OUTCOME_UNKNOWN:
    'Ask the provider, by the idempotency key <tenant>/<effect key>, whether it was done; then resolve the effect (completed, not-done or abandon) and redrive. See runbooks/held-effects.md.',
  EFFECT_REJECTED:
    'The provider refused what it was asked for: its answer is in the effect log (GET /jobs/:jobId/effects). Mend what it complains of; a redrive calls again, under a new key.',
  EFFECT_ABANDONED:
    'A person decided that this is never done; the audit says who and why. The job cannot succeed with it: cancel it, or submit another one.',
  EFFECT_HASH_MISMATCH:
    'Another job used the same effect key for other content: two orders with one number, for example. Find out which is right; the first one was done.',
  PROVIDER_UNAVAILABLE:
    'The provider was down, slow or limiting for longer than the retries last. When it is back: redrive all with this code, at a pace that it bears. See runbooks/provider-down.md.',
  // Messages
  MESSAGE_MALFORMED:
    'The body is kept in the quarantine. Find out who sends to the queue besides Pawl; discard it, or mend the sender and redrive.',
  MESSAGE_TYPE_UNKNOWN:
    'A newer version sends it: deploy the worker too, then redrive it from the quarantine.',
  SCHEMA_VERSION_UNKNOWN:
    'A newer version sends it: deploy the worker too, then redrive it from the quarantine.',
  REQUEST_HASH_MISMATCH:
    'Two different requests came under one idempotency key: a bug of whoever made the message. The first one was done; compare the quarantined body with it before anything is redriven.',
  JOB_UNKNOWN:
    'The message is older than the job (which retention has removed), or from another database. Discard it; where the job was restored, redrive it.',
  // What is around us
  DATABASE_UNAVAILABLE:
    'It was retried until the retries were used up. See runbooks/database-slow.md; when it is over, redrive all with this code.',
  DATABASE_CONFLICT:
    'Many writers of the same rows at once, for longer than the retries last. Redrive at a slower pace; if it comes back, look for a long transaction.',
  DATABASE_CONSTRAINT:
    'A bug: a write that would have broken a rule was refused, and nothing was harmed. The log has the constraint’s name.',
  DATABASE_ERROR:
    'A bug, or a schema that is not the code’s: run npm run migrate, and look up the SQLSTATE in the log.',
  S3_UNAVAILABLE: 'It was retried until the retries were used up. Redrive when S3 is back.',
  S3_REFUSED:
    'Read S3’s reason in the message: mostly a policy, a KMS key or a wrong region. Mend it and resume.',
  AWS_UNAVAILABLE:
    'It was retried for hours. Where it was throttling, lower STARTS_PER_SECOND or have the quota raised; then redrive.',
  AWS_REFUSED:
    'Read AWS’s reason in the message: mostly a missing permission or a deleted resource. Mend it and redrive.',
};

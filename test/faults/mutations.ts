/** A guard switched off: the text of one file is changed, and one of the tests must go red. */
export type Mutation = {
  readonly guard: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Where the guard is expected to be missed. */
  readonly tests: readonly string[];
};

const faults = (name: string): string => `test/faults/${name}.test.ts`;

export const mutations: readonly Mutation[] = [
  {
    guard: 'inbox: a message is worked on once',
    file: 'jobs/store/inbox.ts',
    from: 'where inbox.request_hash = excluded.request_hash\n        and (',
    to: 'where true or (',
    tests: ['test/jobs/inbox.test.ts'],
  },
  {
    guard: 'inbox: the lease token closes it',
    file: 'jobs/store/inbox.ts',
    from: 'idempotency_key = ${claim.idempotencyKey}\n    and lease_token = ${claim.leaseToken}`;',
    to: 'idempotency_key = ${claim.idempotencyKey}`;',
    tests: ['test/jobs/inbox.test.ts'],
  },
  {
    guard: 'inbox: the lease is renewed while a message is worked on',
    file: 'jobs/dispatch/keep-claim.ts',
    from: '    renew().catch(',
    to: '    Promise.resolve().catch(',
    tests: ['test/jobs/keep-claim.test.ts'],
  },
  {
    guard: 'inbox: without its lease nobody calls Step Functions',
    file: 'jobs/dispatch/keep-claim.ts',
    from: "    throw new Transient('DATABASE_CONFLICT', 'another delivery",
    to: "    if (Date.now() < 0) throw new Transient('DATABASE_CONFLICT', 'another delivery",
    tests: ['test/jobs/keep-claim.test.ts'],
  },
  {
    guard: 'execution named after the job',
    file: 'jobs/executions.ts',
    from: 'name: executionName,',
    to: 'name: `${executionName}-${Date.now()}`,',
    tests: [faults('redelivery')],
  },
  {
    guard: 'fence: redrive count of domain writes and effects',
    file: 'jobs/store/open-run.ts',
    from: "and redrive_count = ${fence.redriveCount} and status = 'RUNNING'\n  for share",
    to: "and status = 'RUNNING'\n  for share",
    tests: ['test/jobs/fence.test.ts', 'test/effects/lease-and-fence.test.ts'],
  },
  {
    guard: 'fence: execution name of an ending',
    file: 'jobs/store/finish-job.ts',
    from: 'where job_id = ${jobId} and execution_name = ${executionName}\n        and ((',
    to: 'where job_id = ${jobId}\n        and ((',
    tests: ['test/jobs/fence.test.ts'],
  },
  {
    guard: 'status guard: what has ended stays ended',
    file: 'jobs/store/finish-job.ts',
    from: "redrive_count = ${redriveCount} and status in ('PENDING', 'RUNNING'))",
    to: 'redrive_count = ${redriveCount})',
    tests: ['test/jobs/fence.test.ts', faults('redelivery')],
  },
  {
    guard: 'effects: intention before the call',
    file: 'jobs/effect-log.ts',
    from: '  const lease = await insertCalling(sql, intention);\n',
    to: "  await pursuit.provider.call({ effectId: '' as never, idempotencyKey: `${intention.tenantId}/${intention.effectKey}`, signal: AbortSignal.timeout(5_000) });\n  const lease = await insertCalling(sql, intention);\n",
    tests: [
      'test/effects/killed-attempt.test.ts',
      'test/effects/outcomes.test.ts',
      faults('redelivery'),
    ],
  },
  {
    guard: 'effects: a completed one is never called again',
    file: 'jobs/effect-decisions.ts',
    from: "case 'COMPLETED':\n      return { do: 'answer' };",
    to: "case 'COMPLETED':\n      return { do: 'call' };",
    tests: ['test/effects/outcomes.test.ts', 'test/effects/lost-answer.test.ts'],
  },
  {
    guard: 'effects: the lease token records an outcome',
    file: 'jobs/store/effects.ts',
    from: "where effect_id = ${lease.effectId} and lease_token = ${lease.token} and status = 'CALLING'",
    to: "where effect_id = ${lease.effectId} and status = 'CALLING'",
    tests: ['test/effects/lease-and-fence.test.ts', 'test/effects/any-sequence.test.ts'],
  },
  {
    guard: 'completions: a receiver that hangs holds its own places only',
    file: 'jobs/store/completions.ts',
    from: 'and of_receiver <= ${perReceiver}',
    to: 'and of_receiver <= ${perReceiver} + 1000',
    tests: ['test/api/completion-pool.test.ts'],
  },
  {
    guard: 'completions: a tenant whose receivers hang holds its own places only',
    file: 'jobs/store/completions.ts',
    from: 'where of_tenant <= ${perTenant}',
    to: 'where of_tenant <= ${perTenant} + 1000',
    tests: ['test/api/completion-pool.test.ts'],
  },
  {
    guard: 'a message is deleted only after it is done',
    file: 'worker/consume-queue.ts',
    from: '    const disposition = await handle(',
    to: '    deletions.add(message);\n    const disposition = await handle(',
    tests: ['test/worker/outage.test.ts'],
  },
  {
    guard: 'circuit: an outage stops receiving',
    file: 'worker/circuit.ts',
    from: 'if (failures < threshold || probing',
    to: 'if (failures >= 0 || probing',
    tests: ['test/worker/outage.test.ts'],
  },
  {
    guard: 'outbox: what is not recorded as sent is sent again',
    file: 'jobs/store/outbox.ts',
    from: "where published_at is null and next_attempt_at <= now() and destination = 'job-requests'\n      order by",
    to: "where published_at is null and attempts = 0 and next_attempt_at <= now() and destination = 'job-requests'\n      order by",
    tests: ['test/jobs/outbox.test.ts'],
  },
  {
    guard: 'outbox: two sweepers never take one row',
    file: 'jobs/store/outbox.ts',
    from: "destination = 'job-requests'\n      order by next_attempt_at\n      limit ${limit}\n      for update skip locked",
    to: "destination = 'job-requests'\n      order by next_attempt_at\n      limit ${limit}",
    tests: ['test/jobs/outbox.test.ts'],
  },
  {
    guard: 'redrive: two at the same moment make one',
    file: 'jobs/store/redrive-job.ts',
    from: 'where job_id = ${job.jobId} and status = ${job.status} and execution_name = ${job.executionName}\n        and redrive_count = ${job.redriveCount} and run = ${job.run}',
    to: 'where job_id = ${job.jobId}',
    tests: ['test/api/cancel-redrive.test.ts', faults('redrive')],
  },
  {
    guard: 'redrive: a refused one is written in one piece',
    file: 'jobs/dispatch/redrive-run.ts',
    from: '  await failRun(work, failure, view?.redriveCount ?? 0);',
    to: '  const to = view?.redriveCount ?? 0;\n  await correctRedriveCount(work.sql, jobId, executionName, { from: redriveCount, to });\n  await failRun({ ...work, run: { ...work.run, redriveCount: to } }, failure);',
    tests: ['test/jobs/redrive-count.test.ts'],
  },
  {
    guard: 'reconciler: a backlog is not sent again blindly',
    file: 'jobs/reconcile.ts',
    from: "if (!isLost) return 'wait';",
    to: '',
    tests: ['test/jobs/reconcile-decision.test.ts'],
  },
  {
    guard: 'reconciler: what kills its consumers is not sent to them again',
    file: 'jobs/reconcile.ts',
    from: "if (job.held || isKeptElsewhere(job, queue)) return 'hold';",
    to: '',
    tests: ['test/jobs/reconcile-decision.test.ts'],
  },
  {
    guard: 'reconciler: a message is not sent again without end',
    file: 'jobs/reconcile.ts',
    from: "return job.resends < maxResends ? 'resend' : 'hold';",
    to: "return 'resend';",
    tests: ['test/jobs/held-jobs.test.ts'],
  },
  {
    guard: 'reconciler: a backlog is one tenant’s, not everybody’s',
    file: 'worker/received-groups.ts',
    from: 'const seen = groups.get(group);',
    to: 'const seen = [...groups.values()].at(-1);',
    tests: ['test/worker/received-groups.test.ts'],
  },
  {
    guard: 'reconciler: owners that are overdue are looked for',
    file: 'jobs/store/ownerless.ts',
    from: 'where owner_until < now()\n    order by',
    to: 'where owner_until < now() and false\n    order by',
    tests: [faults('redrive')],
  },
  {
    guard: 'submit: the request hash of an idempotency key',
    file: 'jobs/submit.ts',
    from: 'found.requestHash === job.requestHash\n',
    to: 'found.requestHash !== undefined\n',
    tests: ['test/api/idempotency.test.ts'],
  },
  {
    guard: 'ordering: a job waits for the one before it',
    file: 'jobs/store/submit-job.ts',
    from: "case when coalesce(current_job, job_id) <> job_id then 'infinity'",
    to: "case when false then 'infinity'",
    tests: ['test/jobs/ordering.test.ts'],
  },
  {
    guard: 'ordering: a redrive from outside takes the key again',
    file: 'jobs/store/open-run.ts',
    from: '    if (!withoutItsKey) return await',
    to: '    if (!withoutItsKey || true) return await',
    tests: ['test/jobs/outside-redrive.test.ts'],
  },
  {
    guard: 'documents: an older version never overwrites',
    file: 'jobs/store/documents.ts',
    from: 'where stored.version < excluded.version',
    to: 'where true',
    tests: ['test/document-metadata/versions.test.ts'],
  },
  {
    guard: 'stop: a cancelled job’s execution is stopped',
    file: 'jobs/dispatch/stop-run.ts',
    from: '  await work.executions.stop(\n',
    to: '  if (Date.now() < 0) await work.executions.stop(\n',
    tests: [faults('redrive')],
  },
];

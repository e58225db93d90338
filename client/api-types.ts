// Written by "npm run openapi" from docs/openapi.json; not to be edited.

/** A job that will be done: a 202 is a promise. */
export type AcceptedJob = {
  jobId: string;
  type: string;
  status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  createdAt: string;
  links: {
    self: string;
    events: string;
    result: string;
    cancel: string;
    /** what its failure means and what to do */
    failure?: string;
    /** the rows that failed, with line and reason */
    errors?: string;
  };
};

/** A job; what is not there yet is null. */
export type Job = {
  jobId: string;
  type: string;
  status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  run: number;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  progress: {
    done: number;
    total: number | null;
    failed: number;
  } | null;
  /** What the job type gives; null until SUCCEEDED */
  result: unknown;
  failure: {
    code: string;
    message: string;
    retryable: boolean;
    state: string | null;
  } | null;
  execution: {
    name: string;
    arn: string | null;
    redriveCount: number;
  };
  links: {
    self: string;
    events: string;
    result: string;
    cancel: string;
    /** what its failure means and what to do */
    failure?: string;
    /** the rows that failed, with line and reason */
    errors?: string;
  };
};

/** RFC 9457 */
export type Problem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail?: string;
  errors?: {
    /** JSON Pointer (RFC 6901) into the part that is wrong */
    pointer: string;
    message: string;
  }[];
  requestId?: string;
  [name: string]: unknown;
};

/** What each call takes and gives. */
export type Operations = {
  /** GET /healthz: Does the process live? */
  isAlive: {
    answer: {
      status: 'ok';
    };
  };
  /** GET /readyz: Can it take requests? */
  isReady: {
    answer: {
      status: 'ok';
    };
  };
  /** POST /callbacks/{callbackId}: Answer a waiting job, as a provider */
  receiveCallback: {
    path: { callbackId: string };
    header: { 'webhook-id'?: string; 'webhook-timestamp'?: string; 'webhook-signature'?: string };
    answer: {
      received: boolean;
      /** an answer was there already */
      duplicate: boolean;
    };
  };
  /** GET /failures/{code}: What does this failure code mean? */
  getFailureCode: {
    path: { code: string };
    answer: {
      code: string;
      means: string;
      /** a redrive may well succeed without anything being mended first */
      retryable: boolean;
      whatToDo: string;
    };
  };
  /** GET /me: Whose key is this, and what may it do? */
  getMe: {
    answer: {
      keyId: string;
      tenantId: string | null;
      scopes: string[];
      expiresAt: string | null;
    };
  };
  /** GET /job-types: What can be submitted? */
  listJobTypes: {
    answer: {
      jobTypes: {
        type: string;
        description: string;
        /** JSON Schema (draft 2020-12) of `input` */
        inputSchema: unknown;
        /** required, optional or none */
        payload: string;
        maxPayloadBytes: number;
        timeoutSeconds: number;
        /** block or continue: what a failed job does to the later ones of its ordering key */
        afterFailure: string;
        effects: {
          provider: string;
          operation: string;
        }[];
        /** the ASL, with `${TaskName}` for its functions */
        definition: string;
      }[];
    };
  };
  /** POST /uploads: Get an address to upload a payload to; above 100 MB, one for each part */
  createUpload: {
    body: {
      /** of all the bytes, in hex */
      sha256: string;
      size: number;
      contentType: string;
      /** of every part but the last, which may be smaller */
      partSize?: number;
      /** of the bytes of each part, in hex: S3 then checks each as it comes */
      partSha256?: string[];
    };
    answer:
      | {
          uploadUrl: string;
          method: 'PUT';
          /** to be sent with the PUT, exactly as they are */
          headers: {
            [name: string]: string;
          };
          payloadRef: {
            bucket: string;
            key: string;
            versionId?: string;
            sha256: string;
            size?: number;
          };
          expiresAt: string;
        }
      | {
          parts: {
            /** to PUT the part to */
            url: string;
            /** to be sent with the PUT, exactly as they are */
            headers: {
              [name: string]: string;
            };
            /** bytes of this part; the parts follow one another */
            size: number;
          }[];
          /** to POST to, with the key, when all parts are there */
          completeUrl: string;
          payloadRef: {
            bucket: string;
            key: string;
            versionId?: string;
            sha256: string;
            size?: number;
          };
          expiresAt: string;
        };
  };
  /** POST /uploads/{sha256}/complete: Make the parts of an upload one payload */
  completeUpload: {
    path: { sha256: string };
    query: { uploadId: string; size: number; parts: number };
    answer: {
      payloadRef: {
        bucket: string;
        key: string;
        versionId?: string;
        sha256: string;
        size?: number;
      };
    };
  };
  /** POST /jobs: Submit a job */
  submitJob: {
    header: { 'idempotency-key'?: string };
    body: {
      type: string;
      /** What the job type takes; at most 256 KiB as UTF-8. Default: {} */
      input?: unknown;
      payloadRef?: {
        bucket: string;
        key: string;
        versionId?: string;
        sha256: string;
        size?: number;
      };
      notBefore?: string;
      expiresAt?: string;
      callback?: {
        url: string;
      };
      tags?: {
        [name: string]: string;
      };
      orderingKey?: string;
      uniqueKey?: string;
    };
    answer: AcceptedJob;
  };
  /** GET /jobs: Find jobs, newest first */
  listJobs: {
    query: {
      status?: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      type?: string;
      tag?: string;
      createdAfter?: string;
      createdBefore?: string;
      failureCode?: string;
      failureText?: string;
      limit?: number;
      cursor?: string;
    };
    answer: {
      jobs: Job[];
      /** to be sent as `cursor` for the next page; null on the last */
      nextCursor: string | null;
    };
  };
  /** POST /jobs/batch: Submit up to 100 jobs */
  submitJobs: {
    body: {
      /** all of them or none, in one transaction; default: each for itself */
      atomic?: boolean;
      jobs: {
        type: string;
        /** What the job type takes; at most 256 KiB as UTF-8. Default: {} */
        input?: unknown;
        payloadRef?: {
          bucket: string;
          key: string;
          versionId?: string;
          sha256: string;
          size?: number;
        };
        notBefore?: string;
        expiresAt?: string;
        callback?: {
          url: string;
        };
        tags?: {
          [name: string]: string;
        };
        orderingKey?: string;
        uniqueKey?: string;
        idempotencyKey?: string;
      }[];
    };
    answer: {
      results: {
        /** as POST /jobs would have answered */
        status: number;
        job?: AcceptedJob;
        replayed?: boolean;
        problem?: Problem;
      }[];
    };
  };
  /** GET /jobs/{jobId}: Get a job */
  getJob: {
    path: { jobId: string };
    header: { 'if-none-match'?: string; prefer?: string };
    answer: Job;
  };
  /** GET /jobs/{jobId}/events: Follow a job */
  streamJobEvents: {
    path: { jobId: string };
    header: { 'last-event-id'?: string };
    answer: null;
  };
  /** GET /jobs/{jobId}/result: Get the result of a job */
  getResult: {
    path: { jobId: string };
    query: { part?: string };
    answer: unknown;
  };
  /** GET /jobs/{jobId}/errors: Get the list of rows that failed */
  getErrors: {
    path: { jobId: string };
    answer: null;
  };
  /** GET /search: Find documents and orders */
  search: {
    query: { q: string; kind?: 'document' | 'order'; limit?: number };
    answer: {
      entries: {
        kind: string;
        id: string;
        version: number;
        facts: {
          [name: string]: unknown;
        };
        updatedAt: string;
      }[];
    };
  };
  /** POST /jobs/{jobId}/cancel: Cancel a job */
  cancelJob: {
    path: { jobId: string };
    body?: {
      reason?: string;
    };
    answer: {
      jobId: string;
      status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      notUndone: {
        effectKey: string;
        provider: string;
        operation: string;
        /** COMPLETED, or not known yet: CALLING, UNKNOWN */
        status: string;
      }[];
      links: {
        self: string;
        events: string;
        result: string;
        cancel: string;
        /** what its failure means and what to do */
        failure?: string;
        /** the rows that failed, with line and reason */
        errors?: string;
      };
    };
  };
  /** POST /jobs/{jobId}/redrive: Redrive a job */
  redriveJob: {
    path: { jobId: string };
    body?: {
      mode?: 'resume' | 'restart' | 'auto';
      reason?: string;
      expiresAt?: string;
    };
    answer: {
      jobId: string;
      status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      run: number;
      links: {
        self: string;
        events: string;
        result: string;
        cancel: string;
        /** what its failure means and what to do */
        failure?: string;
        /** the rows that failed, with line and reason */
        errors?: string;
      };
    };
  };
  /** GET /jobs/{jobId}/redrive: Preview a redrive */
  previewRedrive: {
    path: { jobId: string };
    answer: {
      status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      run: number;
      /** POST would be taken: the job is FAILED, CANCELLED or EXPIRED */
      redrivable: boolean;
      auto: 'resume' | 'restart' | null;
      resume: {
        allowed: boolean;
        reason: string | null;
        until: string | null;
        statesAgain: string[];
        statesAfter: string[];
        truncated: boolean;
      };
      restart: {
        statesAgain: string[];
      };
      definitionChanged: boolean | null;
      effects: {
        /** are not repeated */
        done: {
          effectId: string;
          tenantId: string;
          jobId: string;
          effectKey: string;
          provider: string;
          operation: string;
          policy: string;
          status: string;
          providerReference: string | null;
          response: {
            status: number;
            body: string;
          } | null;
          lastError: string | null;
          attempts: number;
          leaseUntil: string | null;
          createdAt: string;
          updatedAt: string;
          completedAt: string | null;
        }[];
        /** are called, or called again */
        open: {
          effectId: string;
          tenantId: string;
          jobId: string;
          effectKey: string;
          provider: string;
          operation: string;
          policy: string;
          status: string;
          providerReference: string | null;
          response: {
            status: number;
            body: string;
          } | null;
          lastError: string | null;
          attempts: number;
          leaseUntil: string | null;
          createdAt: string;
          updatedAt: string;
          completedAt: string | null;
        }[];
        /** have to be resolved by a person first */
        unknown: {
          effectId: string;
          tenantId: string;
          jobId: string;
          effectKey: string;
          provider: string;
          operation: string;
          policy: string;
          status: string;
          providerReference: string | null;
          response: {
            status: number;
            body: string;
          } | null;
          lastError: string | null;
          attempts: number;
          leaseUntil: string | null;
          createdAt: string;
          updatedAt: string;
          completedAt: string | null;
        }[];
      };
    };
  };
  /** GET /webhook-secrets: Get the secrets that sign completion webhooks, the current one first */
  getWebhookSecrets: {
    answer: {
      secrets: {
        secret: string;
        createdAt: string;
        expiresAt: string | null;
      }[];
    };
  };
  /** POST /webhook-secrets/rotate: Make a new secret; the one before signs beside it for a day */
  rotateWebhookSecret: {
    answer: {
      secrets: {
        secret: string;
        createdAt: string;
        expiresAt: string | null;
      }[];
    };
  };
  /** GET /ops/overview: See jobs by status and type, what failed lately, and what waits for a person */
  getOverview: {
    query: { hours?: number };
    answer: {
      /** all open ones, and the final ones that were accepted within `hours` */
      jobs: {
        type: string;
        status: string;
        count: number;
      }[];
      arrows: {
        /** the length of a span */
        minutes: number;
        spans: {
          at: string;
          /** PENDING: accepted or redriven */
          status: string;
          code: string | null;
          count: number;
        }[];
      };
      rates: {
        acceptedPerSecond: number;
        acceptedPerSecondBefore: number;
        endedPerSecond: number;
      };
      backlog: {
        outbox: number;
        outboxOldestSeconds: number;
        /** messages that nobody has received, as SQS counts */
        jobRequests: number;
        jobRequestsOldestSeconds: number | null;
      };
      deadLetters: number;
      quarantined: number;
      heldEffects: number;
      /** of providers, which no job will read */
      heldAnswers: number;
      ownerless: number;
    };
  };
  /** GET /jobs/{jobId}/trail: See the request of a job, its messages and its audit trail */
  getTrail: {
    path: { jobId: string };
    answer: {
      request: {
        tenantId: string;
        idempotencyKey: string | null;
        requestHash: string;
        correlationId: string;
        traceparent: string | null;
        orderingKey: string | null;
        uniqueKey: string | null;
        callbackUrl: string | null;
        tags: {
          [name: string]: string;
        };
        input: unknown;
        /** what the client said the payload is; null: none */
        payloadRef: unknown;
        /** what validation saw; null: not validated yet */
        payloadPin: unknown;
        notBefore: string | null;
        expiresAt: string | null;
        ownerUntil: string | null;
      };
      /** each arrow the job took, oldest first: who, when, from, to, why */
      events: {
        eventNo: string;
        run: number;
        at: string;
        actor: string;
        from: string | null;
        to: string;
        reason: string;
      }[];
      /** from the outbox to what the dispatcher made of it, oldest first */
      messages: {
        messageId: string;
        messageType: string;
        destination: string;
        createdAt: string;
        publishedAt: string | null;
        publishAttempts: number;
        lastError: string | null;
        receivedAt: string | null;
        deliveries: number | null;
        handledAt: string | null;
        inboxStatus: string | null;
        outcome: string | null;
      }[];
    };
  };
  /** GET /jobs/{jobId}/execution: See the execution of a job: its definition, states, timeline and history */
  getExecution: {
    path: { jobId: string };
    query: { nextToken?: string; limit?: number; newestFirst?: boolean; states?: boolean };
    answer: {
      execution: {
        name: string;
        arn: string;
        status: string;
        redriveCount: number;
        redriveStatus: string | null;
        redriveStatusReason: string | null;
        startedAt: string | null;
        stoppedAt: string | null;
        redrivenAt: string | null;
        error: string | null;
        cause: string | null;
      };
      definition: string | null;
      states: {
        name: string;
        comment: string | null;
        parent: string | null;
        next: string[];
        visits: number;
        enteredAt: string | null;
        type: string;
        /** RUNNING, RETRYING, SUCCEEDED, CAUGHT, FAILED, ABORTED or NOT_ENTERED */
        status: string;
        attempts: number;
        exitedAt: string | null;
        error: string | null;
        cause: string | null;
      }[];
      timeline: {
        state: string;
        enteredAt: string;
        redriveCount: number;
        type: string;
        /** RUNNING, RETRYING, SUCCEEDED, CAUGHT, FAILED, ABORTED or NOT_ENTERED */
        status: string;
        attempts: number;
        exitedAt: string | null;
        error: string | null;
        cause: string | null;
      }[];
      /** the history is longer than 5,000 events: states and timeline show its beginning */
      truncated: boolean;
      history: {
        /** as GetExecutionHistory writes them, without task tokens */
        events: {
          [name: string]: unknown;
        }[];
        nextToken: string | null;
      };
    };
  };
  /** GET /jobs/{jobId}/history: Page through the history of a job’s execution */
  getHistory: {
    path: { jobId: string };
    query: { nextToken?: string; limit?: number; newestFirst?: boolean };
    answer: {
      executionName: string;
      /** as DescribeExecution says */
      executionStatus: string;
      /** as GetExecutionHistory writes them, without task tokens */
      events: {
        [name: string]: unknown;
      }[];
      nextToken: string | null;
    };
  };
  /** GET /jobs/{jobId}/map-runs: List the Map Runs of a job’s execution, newest first */
  listMapRuns: {
    path: { jobId: string };
    answer: {
      mapRuns: {
        /** the last part of its ARN */
        mapRunId: string;
        arn: string;
        /** RUNNING, SUCCEEDED, FAILED or ABORTED */
        status: string;
        startedAt: string | null;
        stoppedAt: string | null;
        redriveCount: number;
        redrivenAt: string | null;
        /** as DescribeMapRun counts them: total, pending, running, succeeded, failed, … */
        executionCounts: {
          [name: string]: number;
        };
        /** as DescribeMapRun counts them: total, pending, running, succeeded, failed, … */
        itemCounts: {
          [name: string]: number;
        };
      }[];
    };
  };
  /** GET /jobs/{jobId}/map-runs/{mapRunId}/children: Page through the child executions of a Map Run, newest first */
  listMapRunChildren: {
    path: { jobId: string; mapRunId: string };
    query: {
      status?: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED' | 'PENDING_REDRIVE';
      limit?: number;
      nextToken?: string;
    };
    answer: {
      children: {
        name: string;
        arn: string;
        status: string;
        startedAt: string | null;
        stoppedAt: string | null;
        redriveCount: number;
        redrivenAt: string | null;
      }[];
      nextToken: string | null;
    };
  };
  /** GET /jobs/{jobId}/map-runs/{mapRunId}/child: See one child execution of a Map Run, with its events where it has a history */
  getMapRunChild: {
    path: { jobId: string; mapRunId: string };
    query: { arn: string };
    answer: {
      name: string;
      arn: string;
      status: string;
      startedAt: string | null;
      stoppedAt: string | null;
      redriveCount: number;
      redrivenAt: string | null;
      error: string | null;
      cause: string | null;
      input: string | null;
      output: string | null;
      events:
        | {
            [name: string]: unknown;
          }[]
        | null;
    };
  };
  /** POST /jobs/redrive: Redrive all jobs that match, at a pace */
  redriveJobs: {
    body: {
      /** without a status: the FAILED jobs to redrive, the open ones to cancel */
      filter: {
        status?: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
        type?: string;
        code?: string;
        /** any part of the failure’s message, in either case */
        failureText?: string;
        /** `name`, or `name:value` */
        tag?: string;
        createdAfter?: string;
        createdBefore?: string;
      };
      /** count only */
      dryRun?: boolean;
      ratePerSecond?: number;
      name?: string;
      reason?: string;
      mode?: 'resume' | 'restart' | 'auto';
    };
    answer: {
      matched: number;
      eligible: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
    };
  };
  /** POST /jobs/cancel: Cancel all jobs that match, at a pace */
  cancelJobs: {
    body: {
      /** without a status: the FAILED jobs to redrive, the open ones to cancel */
      filter: {
        status?: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
        type?: string;
        code?: string;
        /** any part of the failure’s message, in either case */
        failureText?: string;
        /** `name`, or `name:value` */
        tag?: string;
        createdAfter?: string;
        createdBefore?: string;
      };
      /** count only */
      dryRun?: boolean;
      ratePerSecond?: number;
      name?: string;
      reason?: string;
    };
    answer: {
      matched: number;
      eligible: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
    };
  };
  /** GET /ops/bulk: List bulk redrives and cancels, newest first */
  listBulkOperations: {
    query: { limit?: number; cursor?: string };
    answer: {
      bulkOperations: {
        bulkId: string;
        /** redrive or cancel */
        operation: string;
        name: string;
        reason: string;
        actor: string;
        filter: {
          [name: string]: unknown;
        };
        mode: string | null;
        ratePerSecond: number;
        /** RUNNING, PAUSED, COMPLETED or CANCELLED */
        status: string;
        /** jobs that matched are still being listed: total grows */
        collecting: boolean;
        /** the jobs that matched when it was started */
        total: number;
        /** redriven, or cancelled */
        done: number;
        /** had moved on before their turn came */
        skipped: number;
        waiting: number;
        /** matched, and left out: why, and how many */
        ineligible: {
          reason: string;
          count: number;
        }[];
        createdAt: string;
        endedAt: string | null;
        links: {
          self: string;
        };
      }[];
      nextCursor: string | null;
    };
  };
  /** GET /ops/bulk/{bulkId}: See how a bulk redrive or cancel gets on */
  getBulkOperation: {
    path: { bulkId: string };
    answer: {
      bulkId: string;
      /** redrive or cancel */
      operation: string;
      name: string;
      reason: string;
      actor: string;
      filter: {
        [name: string]: unknown;
      };
      mode: string | null;
      ratePerSecond: number;
      /** RUNNING, PAUSED, COMPLETED or CANCELLED */
      status: string;
      /** jobs that matched are still being listed: total grows */
      collecting: boolean;
      /** the jobs that matched when it was started */
      total: number;
      /** redriven, or cancelled */
      done: number;
      /** had moved on before their turn came */
      skipped: number;
      waiting: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
      createdAt: string;
      endedAt: string | null;
      links: {
        self: string;
      };
      skippedBecause: {
        [name: string]: number;
      };
      /** how the jobs that are done stand now */
      statuses: {
        [name: string]: number;
      };
    };
  };
  /** POST /ops/bulk/{bulkId}/pause: Pause a bulk redrive or cancel */
  pauseBulkOperation: {
    path: { bulkId: string };
    body: {
      reason: string;
      ratePerSecond?: number;
    };
    answer: {
      bulkId: string;
      /** redrive or cancel */
      operation: string;
      name: string;
      reason: string;
      actor: string;
      filter: {
        [name: string]: unknown;
      };
      mode: string | null;
      ratePerSecond: number;
      /** RUNNING, PAUSED, COMPLETED or CANCELLED */
      status: string;
      /** jobs that matched are still being listed: total grows */
      collecting: boolean;
      /** the jobs that matched when it was started */
      total: number;
      /** redriven, or cancelled */
      done: number;
      /** had moved on before their turn came */
      skipped: number;
      waiting: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
      createdAt: string;
      endedAt: string | null;
      links: {
        self: string;
      };
    };
  };
  /** POST /ops/bulk/{bulkId}/resume: Resume a bulk redrive or cancel */
  resumeBulkOperation: {
    path: { bulkId: string };
    body: {
      reason: string;
      ratePerSecond?: number;
    };
    answer: {
      bulkId: string;
      /** redrive or cancel */
      operation: string;
      name: string;
      reason: string;
      actor: string;
      filter: {
        [name: string]: unknown;
      };
      mode: string | null;
      ratePerSecond: number;
      /** RUNNING, PAUSED, COMPLETED or CANCELLED */
      status: string;
      /** jobs that matched are still being listed: total grows */
      collecting: boolean;
      /** the jobs that matched when it was started */
      total: number;
      /** redriven, or cancelled */
      done: number;
      /** had moved on before their turn came */
      skipped: number;
      waiting: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
      createdAt: string;
      endedAt: string | null;
      links: {
        self: string;
      };
    };
  };
  /** POST /ops/bulk/{bulkId}/cancel: Cancel a bulk redrive or cancel */
  cancelBulkOperation: {
    path: { bulkId: string };
    body: {
      reason: string;
      ratePerSecond?: number;
    };
    answer: {
      bulkId: string;
      /** redrive or cancel */
      operation: string;
      name: string;
      reason: string;
      actor: string;
      filter: {
        [name: string]: unknown;
      };
      mode: string | null;
      ratePerSecond: number;
      /** RUNNING, PAUSED, COMPLETED or CANCELLED */
      status: string;
      /** jobs that matched are still being listed: total grows */
      collecting: boolean;
      /** the jobs that matched when it was started */
      total: number;
      /** redriven, or cancelled */
      done: number;
      /** had moved on before their turn came */
      skipped: number;
      waiting: number;
      /** matched, and left out: why, and how many */
      ineligible: {
        reason: string;
        count: number;
      }[];
      createdAt: string;
      endedAt: string | null;
      links: {
        self: string;
      };
    };
  };
  /** GET /ops/queues: See the queues, the inbox and the workers */
  getQueues: {
    answer: {
      queues: {
        name: string;
        visible: number;
        inFlight: number;
        delayed: number;
        oldestSeconds: number | null;
      }[];
      inbox: {
        lastHour: number;
        /** deliveries beyond the first, made one */
        duplicates: number;
        processing: number;
        failedRetryable: number;
        failedTerminal: number;
      };
      workers: {
        workerId: string;
        host: string;
        pid: number;
        startedAt: string;
        seenAt: string;
        alive: boolean;
        circuitOpen: boolean;
        eventLoopDelayMs: number;
        poolWaitMs: number | null;
        queues: {
          [name: string]: {
            /** within the last minute, like all of these */
            received: number;
            done: number;
            later: number;
            inHand: number;
            redelivered: number;
            highestReceiveCount: number;
            oldestSeconds: number | null;
            p99Ms: number | null;
          };
        };
      }[];
    };
  };
  /** GET /ops/dlq: List the messages of a dead-letter queue */
  listDeadLetters: {
    query: {
      queue?: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      limit?: number;
    };
    answer: {
      queue: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      messages: {
        messageId: string;
        body: string;
        attributes: {
          [name: string]: string;
        };
        receiveCount: number;
        firstSeenAt: string | null;
        lastSeenAt: string | null;
        reason: string;
        jobId: string | null;
        jobStatus: string | null;
      }[];
    };
  };
  /** POST /ops/dlq/redrive: Send dead letters to their queue again */
  redriveDeadLetters: {
    body: {
      queue: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      all?: true;
      messageIds?: string[];
      reason: string;
    };
    answer: {
      messageIds: string[];
      /** some are left that were meant: ask again */
      more: boolean;
    };
  };
  /** POST /ops/dlq/discard: Take dead letters out of their queue */
  discardDeadLetters: {
    body: {
      queue: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      all?: true;
      messageIds?: string[];
      reason: string;
    };
    answer: {
      messageIds: string[];
      /** some are left that were meant: ask again */
      more: boolean;
    };
  };
  /** GET /ops/quarantine: List the messages that could never be worked on */
  listQuarantine: {
    query: {
      queue?: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      code?: string;
      resolved?: boolean;
      limit?: number;
      cursor?: string;
    };
    answer: {
      messages: {
        quarantineId: string;
        queue: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
        sqsMessageId: string;
        body: string;
        attributes: {
          [name: string]: string;
        };
        code: string;
        reason: string;
        receiveCount: number;
        firstSeenAt: string;
        lastSeenAt: string;
        resolution: string | null;
        resolvedAt: string | null;
        resolvedBy: string | null;
      }[];
      nextCursor: string | null;
    };
  };
  /** POST /ops/quarantine/redrive: Send quarantined messages again */
  redriveQuarantined: {
    body: {
      ids?: string[];
      all?: true;
      queue?: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      code?: string;
      reason: string;
    };
    answer: {
      ids: string[];
      /** some are left that were meant: ask again */
      more: boolean;
    };
  };
  /** POST /ops/quarantine/discard: Give quarantined messages up */
  discardQuarantined: {
    body: {
      ids?: string[];
      all?: true;
      queue?: 'job-requests' | 'execution-events' | 'search-projection' | 'notifications';
      code?: string;
      reason: string;
    };
    answer: {
      ids: string[];
      /** some are left that were meant: ask again */
      more: boolean;
    };
  };
  /** GET /ops/outbox: See the messages that wait to be sent */
  getOutbox: {
    query: { limit?: number };
    answer: {
      /** due and not sent */
      due: number;
      /** for how long the oldest has been due */
      oldestSeconds: number;
      messages: {
        messageId: string;
        tenantId: string;
        destination: string;
        messageType: string;
        jobId: string | null;
        attempts: number;
        nextAttemptAt: string;
        lastError: string | null;
        createdAt: string;
      }[];
    };
  };
  /** GET /ops/stuck: See the jobs that do not go on */
  getStuckJobs: {
    answer: {
      jobs: {
        jobId: string;
        tenantId: string;
        type: string;
        status: string;
        /** no-owner, held, slow-task, slow, long-history, waits-for-callback or callback-held */
        why: string;
        state: string | null;
        since: string;
        ageSeconds: number;
        usualSeconds: number | null;
        historyEvents: number | null;
        nextAction: string;
      }[];
    };
  };
  /** GET /ops/doctor: Ask what is abnormal */
  getDoctor: {
    answer: {
      healthy: boolean;
      findings: {
        id: string;
        question: string;
        normal: boolean | null;
        answer: string;
        action: string;
        /** below docs/runbooks/ */
        runbook: string;
      }[];
    };
  };
  /** GET /ops/alerts: See which alerts are above their thresholds */
  getAlerts: {
    answer: {
      alerts: {
        name: string;
        summary: string;
        /** page or ticket */
        severity: string;
        value: number | null;
        /** the threshold */
        above: number;
        unit: string;
        firing: boolean | null;
        /** below docs/runbooks/ */
        runbook: string;
      }[];
    };
  };
  /** GET /ops/effects: List effects that are not done; by default those whose outcome is unknown */
  listOpenEffects: {
    query: {
      status?: 'UNKNOWN' | 'CALLING' | 'INTENDED' | 'REJECTED' | 'ABANDONED';
      limit?: number;
      offset?: number;
    };
    answer: {
      effects: {
        effectId: string;
        tenantId: string;
        jobId: string;
        effectKey: string;
        provider: string;
        operation: string;
        policy: string;
        status: string;
        providerReference: string | null;
        response: {
          status: number;
          body: string;
        } | null;
        lastError: string | null;
        attempts: number;
        leaseUntil: string | null;
        createdAt: string;
        updatedAt: string;
        completedAt: string | null;
      }[];
    };
  };
  /** GET /jobs/{jobId}/effects: See what a job did to other systems */
  listEffects: {
    path: { jobId: string };
    answer: {
      effects: {
        effectId: string;
        tenantId: string;
        jobId: string;
        effectKey: string;
        provider: string;
        operation: string;
        policy: string;
        status: string;
        providerReference: string | null;
        response: {
          status: number;
          body: string;
        } | null;
        lastError: string | null;
        attempts: number;
        leaseUntil: string | null;
        createdAt: string;
        updatedAt: string;
        completedAt: string | null;
      }[];
    };
  };
  /** POST /effects/{effectId}/resolve: Say what became of an effect whose outcome is unknown */
  resolveEffect: {
    path: { effectId: string };
    body: {
      verdict: 'completed' | 'not-done' | 'abandon';
      providerReference?: string;
      reason: string;
    };
    answer: {
      effectId: string;
      tenantId: string;
      jobId: string;
      effectKey: string;
      provider: string;
      operation: string;
      policy: string;
      status: string;
      providerReference: string | null;
      response: {
        status: number;
        body: string;
      } | null;
      lastError: string | null;
      attempts: number;
      leaseUntil: string | null;
      createdAt: string;
      updatedAt: string;
      completedAt: string | null;
    };
  };
  /** GET /ops/callbacks: List answers of providers that a person has to look at */
  listHeldAnswers: {
    answer: {
      callbacks: {
        callbackId: string;
        tenantId: string;
        jobId: string;
        jobStatus: string;
        provider: string;
        effectKey: string;
        answer: {
          outcome?: 'succeeded' | 'declined';
          reference?: string;
          amount?: number;
          currency?: string;
          at?: string;
          reason?: string | null;
        };
        contradiction: {
          outcome?: 'succeeded' | 'declined';
          reference?: string;
          amount?: number;
          currency?: string;
          at?: string;
          reason?: string | null;
        } | null;
        settledAs: string | null;
        heldAt: string;
        heldReason: string;
      }[];
    };
  };
  /** POST /ops/callbacks/{callbackId}/resolve: Say that a held answer has been dealt with */
  resolveHeldAnswer: {
    path: { callbackId: string };
    body: {
      reason: string;
    };
    answer: {
      resolved: boolean;
    };
  };
  /** GET /ops/events/replays: List replays of the archive of events, the last one first */
  listEventReplays: {
    answer: {
      replays: {
        name: string;
        /** STARTING, RUNNING, CANCELLING, COMPLETED, CANCELLED or FAILED */
        state: string;
        stateReason: string | null;
        from: string | null;
        to: string | null;
        lastReplayedAt: string | null;
        startedAt: string | null;
        endedAt: string | null;
      }[];
    };
  };
  /** POST /ops/events/replay: Bring archived events to subscribers again */
  replayEvents: {
    body: {
      from: string;
      to?: string;
      /** names of rules of the bus, such as pawl-search-projection */
      rules: string[];
      /** as events carry it in replay-name */
      name?: string;
      reason: string;
    };
    answer: {
      name: string;
    };
  };
  /** POST /ops/events/replays/{name}/cancel: Cancel a replay; what was replayed stays */
  cancelEventReplay: {
    path: { name: string };
    body: {
      reason: string;
    };
    answer: {
      name: string;
    };
  };
  /** GET /ops/stock: See what is in stock */
  listStock: {
    answer: {
      stock: {
        sku: string;
        available: number;
        /** whole rupiah */
        unitPrice: number;
      }[];
    };
  };
  /** PUT /ops/stock/{sku}: Set what is in stock of an article, and its price */
  setStock: {
    path: { sku: string };
    body: {
      available: number;
      unitPrice: number;
    };
    answer: {
      sku: string;
      available: number;
      /** whole rupiah */
      unitPrice: number;
    };
  };
  /** GET /ops/state-machines: See what the linter says of each job type’s state machine */
  listStateMachines: {
    answer: {
      stateMachines: {
        type: string;
        /** what goes against the rules that keep executions redrivable; none: in order */
        findings: {
          rule: string;
          state: string | null;
          what: string;
          why: string;
          mend: string;
        }[];
      }[];
    };
  };
  /** GET /ops/keys: List API keys, newest first; no secret is kept */
  listKeys: {
    query: { tenantId?: string; limit?: number; cursor?: string };
    answer: {
      keys: {
        keyId: string;
        /** the 12 characters by which it is looked up */
        prefix: string;
        tenantId: string | null;
        scopes: string[];
        name: string;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      }[];
      nextCursor: string | null;
    };
  };
  /** POST /ops/keys/{prefix}/revoke: Revoke an API key for good; it stops working within 10 seconds */
  revokeKey: {
    path: { prefix: string };
    body: {
      reason: string;
    };
    answer: {
      revoked: boolean;
    };
  };
  /** GET /ops/audit: See who did what, when and why */
  getAudit: {
    query: {
      actor?: string;
      action?: string;
      target?: string;
      jobId?: string;
      after?: string;
      before?: string;
      limit?: number;
      cursor?: string;
    };
    answer: {
      entries: {
        id: string;
        at: string;
        actor: string;
        action: string;
        target: string;
        jobId: string | null;
        reason: string;
        result: string;
        details: {
          [name: string]: unknown;
        };
      }[];
      nextCursor: string | null;
    };
  };
};

/** Where each call goes. */
export const routes = {
  isAlive: ['GET', '/healthz'],
  isReady: ['GET', '/readyz'],
  receiveCallback: ['POST', '/callbacks/{callbackId}'],
  getFailureCode: ['GET', '/failures/{code}'],
  getMe: ['GET', '/me'],
  listJobTypes: ['GET', '/job-types'],
  createUpload: ['POST', '/uploads'],
  completeUpload: ['POST', '/uploads/{sha256}/complete'],
  submitJob: ['POST', '/jobs'],
  listJobs: ['GET', '/jobs'],
  submitJobs: ['POST', '/jobs/batch'],
  getJob: ['GET', '/jobs/{jobId}'],
  streamJobEvents: ['GET', '/jobs/{jobId}/events'],
  getResult: ['GET', '/jobs/{jobId}/result'],
  getErrors: ['GET', '/jobs/{jobId}/errors'],
  search: ['GET', '/search'],
  cancelJob: ['POST', '/jobs/{jobId}/cancel'],
  redriveJob: ['POST', '/jobs/{jobId}/redrive'],
  previewRedrive: ['GET', '/jobs/{jobId}/redrive'],
  getWebhookSecrets: ['GET', '/webhook-secrets'],
  rotateWebhookSecret: ['POST', '/webhook-secrets/rotate'],
  getOverview: ['GET', '/ops/overview'],
  getTrail: ['GET', '/jobs/{jobId}/trail'],
  getExecution: ['GET', '/jobs/{jobId}/execution'],
  getHistory: ['GET', '/jobs/{jobId}/history'],
  listMapRuns: ['GET', '/jobs/{jobId}/map-runs'],
  listMapRunChildren: ['GET', '/jobs/{jobId}/map-runs/{mapRunId}/children'],
  getMapRunChild: ['GET', '/jobs/{jobId}/map-runs/{mapRunId}/child'],
  redriveJobs: ['POST', '/jobs/redrive'],
  cancelJobs: ['POST', '/jobs/cancel'],
  listBulkOperations: ['GET', '/ops/bulk'],
  getBulkOperation: ['GET', '/ops/bulk/{bulkId}'],
  pauseBulkOperation: ['POST', '/ops/bulk/{bulkId}/pause'],
  resumeBulkOperation: ['POST', '/ops/bulk/{bulkId}/resume'],
  cancelBulkOperation: ['POST', '/ops/bulk/{bulkId}/cancel'],
  getQueues: ['GET', '/ops/queues'],
  listDeadLetters: ['GET', '/ops/dlq'],
  redriveDeadLetters: ['POST', '/ops/dlq/redrive'],
  discardDeadLetters: ['POST', '/ops/dlq/discard'],
  listQuarantine: ['GET', '/ops/quarantine'],
  redriveQuarantined: ['POST', '/ops/quarantine/redrive'],
  discardQuarantined: ['POST', '/ops/quarantine/discard'],
  getOutbox: ['GET', '/ops/outbox'],
  getStuckJobs: ['GET', '/ops/stuck'],
  getDoctor: ['GET', '/ops/doctor'],
  getAlerts: ['GET', '/ops/alerts'],
  listOpenEffects: ['GET', '/ops/effects'],
  listEffects: ['GET', '/jobs/{jobId}/effects'],
  resolveEffect: ['POST', '/effects/{effectId}/resolve'],
  listHeldAnswers: ['GET', '/ops/callbacks'],
  resolveHeldAnswer: ['POST', '/ops/callbacks/{callbackId}/resolve'],
  listEventReplays: ['GET', '/ops/events/replays'],
  replayEvents: ['POST', '/ops/events/replay'],
  cancelEventReplay: ['POST', '/ops/events/replays/{name}/cancel'],
  listStock: ['GET', '/ops/stock'],
  setStock: ['PUT', '/ops/stock/{sku}'],
  listStateMachines: ['GET', '/ops/state-machines'],
  listKeys: ['GET', '/ops/keys'],
  revokeKey: ['POST', '/ops/keys/{prefix}/revoke'],
  getAudit: ['GET', '/ops/audit'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;

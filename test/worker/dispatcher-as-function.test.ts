// The dispatcher as a Lambda function: real SQS messages in the events of an event source, through the Lambda host, while
// the worker receives no job requests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { functionsOf } from '../../local/lambda/functions.ts';
import { loadJobTypes } from '../../statemachines/registry.ts';
import { dispatcherTests } from './dispatcher-behaviour.ts';
import { startEventSource } from './event-source.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const registry = await loadJobTypes([here('../operations/job-types')]);
const folder = mkdtempSync(join(tmpdir(), 'pawl-dispatcher-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const functionsFile = join(folder, 'functions.json');
const dispatcher = {
  name: 'pawl-dispatch',
  file: here('../../worker/lambda-dispatcher.ts'),
  timeoutSeconds: 30,
  memoryMb: 512,
};
writeFileSync(functionsFile, JSON.stringify([...functionsOf(registry).values(), dispatcher]));

let source: ReturnType<typeof startEventSource> | undefined;
// Before Pawl is stopped, which is said later.
after(() => source?.stop());

await dispatcherTests({
  env: {
    LAMBDA_FUNCTIONS_FILE: functionsFile,
    DISPATCH_CONCURRENCY: '0',
    JOB_TYPE_TIMEOUTS: [...registry.values()]
      .map(({ type, timeoutSeconds }) => `${type}=${timeoutSeconds}`)
      .join(','),
  },
  start: ({ pawl, sqs }) => {
    const { endpoints, queues } = pawl.runtime();
    source = startEventSource({
      sqs,
      queueUrl: queues.jobRequests,
      invoke: async (event) => {
        const response = await fetch(
          `${endpoints.lambda}/2015-03-31/functions/${dispatcher.name}/invocations`,
          { method: 'POST', body: JSON.stringify(event) },
        );
        const answer: unknown = await response.json();
        assert.equal(
          response.headers.get('x-amz-function-error'),
          null,
          `the function failed: ${JSON.stringify(answer)}`,
        );
        return answer;
      },
    });
  },
});

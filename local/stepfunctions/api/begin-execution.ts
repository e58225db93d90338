import { randomUUID } from 'node:crypto';
import { executionArn, expressArn } from '../arn.ts';
import type { ExecutionIdentity, ExecutionView } from '../execution/view.ts';
import { MAX_PAYLOAD_BYTES } from '../execution/json-text.ts';
import { ApiError } from './api-error.ts';
import { checkName } from './check-name.ts';
import { describeJsonError } from './describe-json-error.ts';
import { inputOf } from './find-execution.ts';
import { resolveMachine, type FoundMachine } from './find-machine.ts';
import type { Api } from './operation.ts';

export type StartRequest = {
  readonly stateMachineArn: string;
  readonly name?: string;
  readonly input?: string;
  readonly traceHeader?: string;
};

type Begun = {
  readonly id: number;
  readonly arn: string;
  readonly startedAt: number;
  /** Absent where an execution that was running already was found. */
  readonly view?: ExecutionView;
};

/** How many Standard executions may be open. https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const MAX_OPEN = 1_000_000;

/**
 * Starts an execution, or finds the one that is running under this name with this very input.
 * A name whose execution has ended, or runs with another input, is taken: ExecutionAlreadyExists.
 * Resolves when the start is on disk.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
 */
export async function beginExecution(api: Api, request: StartRequest): Promise<Begun> {
  const { arn: machineArn, testCase } = splitTestCase(api, request.stateMachineArn);
  const found = resolveMachine(api, machineArn);
  const { machine } = found;
  if (machine.deleting) {
    throw new ApiError('StateMachineDeleting', `State Machine Deleting: '${machine.arn}'`);
  }
  const name = checkName(request.name ?? randomUUID());
  const input = checkInput(request.input ?? '{}');
  if (machine.type === 'EXPRESS') return begin(api, found, request, name, input, testCase);

  const arn = executionArn(api.locality, machine.name, name);
  // Another request may be starting the same name just now: see what becomes of it.
  for (let other = api.starting[arn]; other; other = api.starting[arn]) await other;
  const present = api.store.executions.find(arn);
  if (present) {
    if (present.status === 'RUNNING' && inputOf(api, present) === input) return present;
    throw new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
  }
  if (api.host.countOpen() >= MAX_OPEN) {
    throw new ApiError('ExecutionLimitExceeded', `There are ${MAX_OPEN} open executions.`);
  }
  const starting = begin(api, found, request, name, input, testCase);
  api.starting[arn] = starting;
  try {
    return await starting;
  } finally {
    delete api.starting[arn];
  }
}

async function begin(
  api: Api,
  found: FoundMachine,
  { traceHeader }: StartRequest,
  name: string,
  input: string,
  testCase: string | undefined,
): Promise<Begun> {
  const { machine, revision, versionArn, aliasArn } = found;
  const express = machine.type === 'EXPRESS';
  const arn = express
    ? expressArn(api.locality, machine.name, name, randomUUID())
    : executionArn(api.locality, machine.name, name);
  const identity: ExecutionIdentity = {
    id: api.store.executions.nextId(),
    arn,
    name,
    machineArn: machine.arn,
    machineName: machine.name,
    roleArn: api.store.machines.revision(revision).roleArn,
    ...(versionArn !== undefined && { versionArn }),
    ...(aliasArn !== undefined && { aliasArn }),
    express,
    ...(testCase !== undefined && {
      testCase: { machineName: machine.name, name: testCase, executionArn: arn },
    }),
  };
  const view = await api.host.start({
    identity,
    machine: api.machines.get(revision),
    revision,
    input,
    ...(traceHeader !== undefined && { traceHeader }),
  });
  return { id: identity.id, arn: identity.arn, startedAt: view.startedAt, view };
}

/** `…:stateMachine:NAME#CASE` starts NAME with the mocks of CASE; only where there are mocks. */
export function splitTestCase(
  { mockConfig }: Api,
  stateMachineArn: string,
): { arn: string; testCase?: string } {
  const hash = stateMachineArn.indexOf('#');
  if (!mockConfig || hash < 0) return { arn: stateMachineArn };
  const arn = stateMachineArn.slice(0, hash);
  const testCase = stateMachineArn.slice(hash + 1);
  const machineName = arn.split(':').at(6) ?? '';
  if (!mockConfig.hasTestCase(machineName, testCase)) {
    throw new ApiError(
      'ValidationException',
      `The mock configuration has no test case '${testCase}' for the state machine '${machineName}'.`,
    );
  }
  return { arn, testCase };
}

function checkInput(input: string): string {
  if (Buffer.byteLength(input) > MAX_PAYLOAD_BYTES) {
    throw new ApiError(
      'ValidationException',
      `1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${MAX_PAYLOAD_BYTES}`,
    );
  }
  const problem = describeJsonError(input);
  if (problem !== undefined) {
    throw new ApiError(
      'InvalidExecutionInput',
      `Invalid State Machine Execution Input: '${problem}'`,
    );
  }
  return input;
}

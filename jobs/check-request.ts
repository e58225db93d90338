import { Compile, type Validator } from 'typebox/compile';
import type { Registry, RegisteredJobType } from '../statemachines/registry.ts';
import type { JsonProblem } from './exact-json.ts';
import type { TenantId } from './ids.ts';
import { isPayloadKeyOf, payloadPrefixOf } from './payload-key.ts';
import type { PayloadReference } from './payload-reference.ts';
import { schemaProblems } from './schema-problems.ts';
import { inputOf, type JobRequest } from './submit.ts';

/** The most UTF-8 bytes of `input`, written without white space: 256 KiB. What is larger is uploaded. */
export const maxInputBytes = 256 * 1024;

export type RequestFault =
  | { readonly kind: 'type-unknown'; readonly known: readonly string[] }
  | { readonly kind: 'input-too-large'; readonly bytes: number }
  | { readonly kind: 'payload-too-large'; readonly bytes: number; readonly maxBytes: number }
  | { readonly kind: 'not-fitting'; readonly problems: readonly JsonProblem[] };

/** Tells what keeps a request from becoming a job, or undefined: what it accepts must not have to fail later. */
export type CheckRequest = (request: JobRequest, tenantId: TenantId) => RequestFault | undefined;

/** Compiles every job type's schema once; throws where one is not a JSON Schema. */
export function createRequestCheck(registry: Registry, payloadBucket: string): CheckRequest {
  const inputs = new Map<string, Validator>();
  for (const jobType of registry.values()) inputs.set(jobType.type, Compile(jobType.inputSchema));
  return (request, tenantId) => {
    const jobType = registry.get(request.type);
    const input = inputs.get(request.type);
    if (jobType === undefined || input === undefined) {
      return { kind: 'type-unknown', known: [...registry.keys()].sort() };
    }
    return (
      sizeFault(request, jobType) ??
      fault([
        ...schemaProblems(input, inputOf(request), '/input'),
        ...payloadProblems(request.payloadRef, jobType),
        ...(request.payloadRef ? placeProblems(request.payloadRef, payloadBucket, tenantId) : []),
        ...timeProblems(request),
      ])
    );
  };
}

const fault = (problems: JsonProblem[]): RequestFault | undefined =>
  problems.length === 0 ? undefined : { kind: 'not-fitting', problems };

function sizeFault(request: JobRequest, jobType: RegisteredJobType): RequestFault | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(inputOf(request)));
  if (bytes > maxInputBytes) return { kind: 'input-too-large', bytes };
  const { maxPayloadBytes } = jobType;
  const size = request.payloadRef?.size ?? 0;
  return size > maxPayloadBytes
    ? { kind: 'payload-too-large', bytes: size, maxBytes: maxPayloadBytes }
    : undefined;
}

function payloadProblems(
  ref: PayloadReference | undefined,
  jobType: RegisteredJobType,
): JsonProblem[] {
  const pointer = '/payloadRef';
  if (jobType.payload === 'required' && ref === undefined) {
    return [{ pointer, message: `is required by ${jobType.type}; POST /uploads gives one` }];
  }
  if (jobType.payload === 'none' && ref !== undefined) {
    return [{ pointer, message: `is not taken by ${jobType.type}` }];
  }
  return [];
}

function placeProblems(ref: PayloadReference, bucket: string, tenantId: TenantId): JsonProblem[] {
  const problems: JsonProblem[] = [];
  if (ref.bucket !== bucket) {
    problems.push({ pointer: '/payloadRef/bucket', message: `must be ${bucket}` });
  }
  if (!isPayloadKeyOf(tenantId, ref.key)) {
    const message = `must start with ${payloadPrefixOf(tenantId)} and have no empty, "." or ".." part`;
    problems.push({ pointer: '/payloadRef/key', message });
  }
  return problems;
}

function timeProblems({ notBefore, expiresAt }: JobRequest): JsonProblem[] {
  if (notBefore === undefined || expiresAt === undefined) return [];
  return new Date(expiresAt) > new Date(notBefore)
    ? []
    : [{ pointer: '/expiresAt', message: 'must be later than notBefore' }];
}

import { isIP } from 'node:net';
import { Compile, type Validator } from 'typebox/compile';
import type { Registry, RegisteredJobType } from '../statemachines/registry.ts';
import type { JsonProblem } from './exact-json.ts';
import type { TenantId } from './ids.ts';
import { isPublicAddress } from './public-address.ts';
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

/** Where payloads have to be, and whether callbacks may go to private and loopback addresses. */
export type RequestRules = {
  readonly payloadBucket: string;
  readonly callbackAllowPrivate: boolean;
};

/** Compiles every job type's schema once; throws where one is not a JSON Schema. */
export function createRequestCheck(registry: Registry, rules: RequestRules): CheckRequest {
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
        ...(request.payloadRef
          ? placeProblems(request.payloadRef, rules.payloadBucket, tenantId)
          : []),
        ...timeProblems(request),
        ...callbackProblems(request, rules.callbackAllowPrivate),
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

export const callbackIsPrivate = 'leads to a private or loopback address, which is not called';

/** What can be said without asking DNS; the worker looks again at what a name leads to, when it calls. */
function callbackProblems({ callback }: JobRequest, allowPrivate: boolean): JsonProblem[] {
  if (callback === undefined) return [];
  const pointer = '/callback/url';
  const url = URL.parse(callback.url);
  if (url === null) return [{ pointer, message: 'is not a URL' }];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  return isPrivate && !allowPrivate ? [{ pointer, message: callbackIsPrivate }] : [];
}

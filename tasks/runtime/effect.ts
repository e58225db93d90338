import { canonicalHash } from '../../jobs/canonical-json.ts';
import type { EffectPolicy } from '../../jobs/config.ts';
import {
  type Call,
  type EffectLogDeps,
  type EffectResult,
  type Provider,
  withEffect,
} from '../../jobs/effect-log.ts';
import type { TenantId } from '../../jobs/ids.ts';
import type { Intention } from '../../jobs/store/effects.ts';
import type { Fence } from '../../jobs/store/open-run.ts';
import { inSpan, type Traceparent } from '../../jobs/tracing.ts';
import type { HttpClient, HttpRequest } from './http-client.ts';
import { callOutcome, lookupOutcome, type ReferenceOf } from './http-outcome.ts';

/** One call to a provider, as a task writes it down. */
export type ProviderCall = {
  /** From the domain, without the tenant: `document:42:1:indexed`. */
  readonly key: string;
  readonly provider: string;
  readonly operation: string;
  readonly policy: EffectPolicy;
  /** What the effect is about, without times and attempts; its hash must not change under one key. */
  readonly content: unknown;
  /** Written anew for every call; `Idempotency-Key` is added to it. */
  readonly request: (call: Call) => HttpRequest;
  /** How the provider is asked whether it did it: 2xx yes, 404 no. Needed where the policy may be lookup. */
  readonly lookup?: (call: Call) => HttpRequest;
  readonly referenceOf?: ReferenceOf;
  /** Statuses besides 2xx that are the provider's answer rather than a refusal of the request. */
  readonly answers?: readonly number[];
  /** What is committed with the intention (jobs/store/effects.ts). */
  readonly alongside?: Intention['alongside'];
};

type Caller = EffectLogDeps & {
  readonly http: HttpClient;
  readonly fence: Fence;
  readonly tenantId: TenantId;
  /** The task's span, which the provider's trace may continue. */
  readonly traceparent?: Traceparent;
};

/** Calls a provider once in effect: the only way out of a task (jobs/effect-log.ts says what it throws). */
export async function callProvider(caller: Caller, call: ProviderCall): Promise<EffectResult> {
  const { fence, tenantId } = caller;
  const { key, provider, operation, policy, content, alongside } = call;
  const requestHash = canonicalHash(content);
  const effect = { fence, tenantId, key, provider, operation, policy, requestHash };
  return await withEffect(
    caller,
    alongside === undefined ? effect : { ...effect, alongside },
    httpProvider(caller, call),
  );
}

function httpProvider(
  { http, traceparent: parent = null }: Caller,
  { request, lookup, policy, answers = [], ...rest }: ProviderCall,
): Provider {
  const referenceOf = rest.referenceOf ?? (() => null);
  // Where an unknown outcome costs a person's time, a connection that may just be closing is not used again.
  const freshConnection = policy === 'hold';
  const span = {
    parent,
    kind: 'client',
    attributes: { 'pawl.provider': rest.provider, 'pawl.operation': rest.operation },
  } as const;
  const send = async (made: HttpRequest, { idempotencyKey, signal }: Call) =>
    await inSpan(`${made.method} ${rest.provider}`, span, async ({ traceparent, set }) => {
      const headers = {
        ...made.headers,
        'idempotency-key': headerText(idempotencyKey),
        ...(traceparent === null ? {} : { traceparent }),
      };
      const result = await http.send({ ...made, headers }, { signal, freshConnection });
      set(
        result.kind === 'answered'
          ? { 'http.response.status_code': result.status }
          : { 'error.type': result.message },
      );
      return result;
    });
  return {
    call: async (call) => {
      let made: HttpRequest;
      try {
        made = request(call);
      } catch (bug) {
        return { kind: 'not-tried', bug };
      }
      return callOutcome(await send(made, call), referenceOf, new Date(), answers);
    },
    ...(lookup === undefined
      ? {}
      : { lookup: async (call) => lookupOutcome(await send(lookup(call), call), referenceOf) }),
  };
}

/** A header takes visible ASCII only (RFC 9110, section 5.5): what else a key holds is percent-encoded. */
export const headerText = (text: string): string =>
  text.replaceAll(/[^\u0021-\u0024\u0026-\u007e]/gu, (character) => encodeURIComponent(character));

import { hash as hashOf } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { TenantId } from '../jobs/ids.ts';
import {
  type ApiKey,
  type KeyScope,
  type KnownKey,
  prefixOfKey,
  touchApiKey,
  verifyApiKey,
} from '../jobs/store/api-keys.ts';
import type { Sql } from '../jobs/store/connect.ts';
import type { Scope } from '../jobs/store/find-job.ts';
import { Problem } from './problems.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Who calls, by the API key. */
export type Caller = ApiKey;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** What the key must allow; a route without it cannot be registered among those that need a key. */
    scope?: KeyScope;
  }
}

/** A verified key is trusted this long without asking the database: so long does a revoked one still work. */
const trustMs = 10_000;
const maxTrusted = 10_000;

type Deps = {
  readonly sql: Sql;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly refusals: Pick<RefusalLog, 'noteEndedKey'>;
};

/** The hook that lets in only callers whose key allows the route's scope. */
export function createAuthentication(deps: Deps) {
  const verify = createKeyVerifier(deps);
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const known = await verify(bearerOf(request));
    if (known?.ended !== null) {
      if (known !== undefined) deps.refusals.noteEndedKey(known.apiKey, known.ended, request);
      throw unauthenticated('this key is unknown, revoked or expired');
    }
    const caller = known.apiKey;
    request.caller = caller;
    const { scope } = request.routeOptions.config;
    if (scope === undefined || !allows(caller, scope)) {
      throw new Problem('scope-missing', { detail: `the scope ${scope ?? '?'} is needed` });
    }
  };
}

/** Who calls. Only for routes behind the hook. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} is served without authentication`);
  return request.caller;
}

/** The tenant of the caller; an operator has none and cannot act as one. */
export function tenantOf(request: FastifyRequest): TenantId {
  const { tenantId } = callerOf(request);
  if (tenantId === null) throw new Problem('tenant-needed');
  return tenantId;
}

/** Whose jobs the caller sees. */
export const scopeOf = (request: FastifyRequest): Scope => callerOf(request).tenantId ?? 'all';

/** The caller as the audit trail names it. */
export const actorOf = (request: FastifyRequest): string => describeCaller(callerOf(request));

export const describeCaller = ({ keyId, tenantId }: Caller): string =>
  tenantId === null ? `operator key ${keyId}` : `key ${keyId}`;

const allows = (caller: Caller, scope: KeyScope): boolean =>
  caller.scopes.includes(scope) || caller.scopes.includes('ops');

/** RFC 6750, section 3: the challenge that goes with a 401. */
const unauthenticated = (detail: string): Problem =>
  new Problem('unauthenticated', { detail }, { 'www-authenticate': 'Bearer realm="pawl"' });

function bearerOf(request: FastifyRequest): string {
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) throw unauthenticated('send the header "Authorization: Bearer <key>"');
  return token;
}

type Trusted = { readonly caller: Caller; readonly until: number };

/** Keeps verified keys for a short time, by their hash, so that POST /jobs is one round trip to the database. */
function createKeyVerifier({ sql, clock, log }: Pick<Deps, 'sql' | 'clock' | 'log'>) {
  const trusted = new Map<string, Trusted>();

  const remember = (hash: string, caller: Caller): void => {
    if (trusted.size >= maxTrusted) trusted.clear();
    const now = clock().getTime();
    trusted.set(hash, {
      caller,
      until: Math.min(now + trustMs, caller.expiresAt?.getTime() ?? Infinity),
    });
  };
  return async (key: string): Promise<KnownKey | undefined> => {
    if (prefixOfKey(key) === undefined) return undefined;
    const hash = hashOf('sha256', key, 'base64');
    const known = trusted.get(hash);
    if (known !== undefined && known.until > clock().getTime()) {
      return { apiKey: known.caller, ended: null };
    }
    trusted.delete(hash);
    const found = await verifyApiKey(sql, key);
    if (found?.ended !== null) return found;
    const { apiKey } = found;
    remember(hash, apiKey);
    touchApiKey(sql, apiKey.keyId).catch((error: unknown) => {
      log.warn({ err: error, keyId: apiKey.keyId }, 'last_used_at of a key could not be written');
    });
    return found;
  };
}

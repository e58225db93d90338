import type { JobId, TenantId } from './ids.ts';

/** Under which all payloads of a tenant stand; nobody else's references reach there. */
export const payloadPrefixOf = (tenantId: TenantId): string => `payloads/${tenantId}/`;

/** Where the bytes of this hash (hex) stand: content-addressed, so that a repeated upload is the same object. */
export const payloadKeyOf = (tenantId: TenantId, sha256: string): string =>
  `${payloadPrefixOf(tenantId)}${sha256}`;

/**
 * Whether `key` names an object of this tenant. Empty, `.` and `..` segments are refused: a store on a file system
 * may read them as a way out of the prefix.
 */
export function isPayloadKeyOf(tenantId: TenantId, key: string): boolean {
  const prefix = payloadPrefixOf(tenantId);
  if (!key.startsWith(prefix)) return false;
  return key
    .slice(prefix.length)
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

type KeptBy = { readonly type: string; readonly tenantId: TenantId; readonly jobId: JobId };

/** Where the tasks of a job keep what they write themselves: by type, so that each type's role reaches its own only. */
export const jobPrefixOf = ({ type, tenantId, jobId }: KeptBy): string =>
  `jobs/${type}/${tenantId}/${jobId}/`;

/** Where a run's tasks list which rows failed and why, as JSON Lines. */
export const errorsKeyOf = (job: KeptBy, executionName: string): string =>
  `${jobPrefixOf(job)}${executionName}/errors.jsonl`;

import { useEffect, useState } from 'react';
import type { Answer } from '../api/call.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { count } from '../parts/format.ts';
import { At } from '../parts/time.tsx';
import type { Job } from './use-job.ts';

/** By which names the job is known, here and elsewhere; each to be copied. */
export function Identity(props: {
  readonly job: Job;
  readonly trail?: Answer<'getTrail'> | undefined;
  readonly definition?: string | undefined;
}) {
  const { job, trail } = props;
  const definitionVersion = useSha256(props.definition);
  const request = trail?.request;
  const names: readonly (readonly [string, string | null | undefined])[] = [
    ['job', job.jobId],
    ['tenant', request?.tenantId],
    ['type', job.type],
    ['execution', job.execution.name],
    ['execution ARN', job.execution.arn],
    ['idempotency key', request?.idempotencyKey],
    ['trace id', request?.traceparent?.split('-')[1]],
    ['correlation id', request?.correlationId],
    ['ordering key', request?.orderingKey],
    ['unique key', request?.uniqueKey],
    ['definition', definitionVersion && `sha256:${definitionVersion.slice(0, 16)}`],
    [
      'tags',
      request &&
        Object.entries(request.tags)
          .map(([name, value]) => `${name}:${value}`)
          .join(', '),
    ],
  ];
  return (
    <section className="card" aria-label="Identity">
      <dl className="identity">
        {names.map(([name, value]) =>
          value === undefined || value === null || value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code title={value}>{value}</code>
                <CopyButton text={value} label={`Copy`} />
              </dd>
            </div>
          ),
        )}
        <div>
          <dt>run</dt>
          <dd>
            {count(job.run)}
            {job.execution.redriveCount > 0 &&
              ` (redrive ${count(job.execution.redriveCount)} of its execution)`}
          </dd>
        </div>
        <div>
          <dt>created</dt>
          <dd>
            <At at={job.createdAt} />
          </dd>
        </div>
        <div>
          <dt>started</dt>
          <dd>
            <At at={job.startedAt} />
          </dd>
        </div>
        <div>
          <dt>finished</dt>
          <dd>
            <At at={job.finishedAt} />
          </dd>
        </div>
        {request?.notBefore != null && (
          <div>
            <dt>not before</dt>
            <dd>
              <At at={request.notBefore} />
            </dd>
          </div>
        )}
        {request?.expiresAt != null && (
          <div>
            <dt>expires</dt>
            <dd>
              <At at={request.expiresAt} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** In hex; undefined until it is there, or where the page is not served securely (WebCrypto is then missing). */
function useSha256(text: string | undefined): string | undefined {
  const [hash, setHash] = useState<string>();
  useEffect(() => {
    if (text === undefined || !window.isSecureContext) return;
    let isCurrent = true;
    void crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then((digest) => {
      if (isCurrent) setHash(hex(digest));
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return hash;
}

const hex = (digest: ArrayBuffer): string =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');

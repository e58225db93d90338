import type { Answer } from '../api/call.ts';
import { isRecord } from '../graph/definition.ts';
import { wordOf } from '../submit/schema.ts';
import { bytes } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Status } from '../parts/status.tsx';
import type { History } from './use-history.ts';
import type { Job } from './use-job.ts';

/** What went into the job, what came out, and its payload. */
export function DataTab(props: {
  readonly job: Job;
  readonly trail?: Answer<'getTrail'> | undefined;
  readonly history?: History;
}) {
  const { job, trail } = props;
  return (
    <>
      {trail !== undefined && <JsonView label="Input" value={trail.request.input} />}
      {trail !== undefined && <PayloadPanel job={job} request={trail.request} />}
      {job.result !== null && job.result !== undefined && (
        <JsonView label="Result" value={job.result} />
      )}
      <JsonView label="The job as GET shows it" value={job} />
    </>
  );
}

/** What the client said the payload is, what validation saw, and what that means. */
function PayloadPanel({
  job,
  request,
}: {
  readonly job: Job;
  readonly request: Answer<'getTrail'>['request'];
}) {
  const { payloadRef: said, payloadPin: seen } = request;
  if (!isRecord(said)) return null;
  const code = job.failure?.code ?? '';
  const pin = isRecord(seen) ? seen : undefined;
  return (
    <section className="payload" aria-label="Payload">
      <h3>
        Payload <PayloadVerdict isPinned={pin !== undefined} code={code} />
      </h3>
      <dl className="facts">
        <Fact name="bucket" value={said['bucket']} />
        <Fact name="key" value={said['key']} />
        <Fact name="version" value={pin?.['versionId'] ?? said['versionId'] ?? pin?.['etag']} />
        <Fact name="length" value={lengthOf(pin?.['size'] ?? pin?.['bytes'] ?? said['size'])} />
        <Fact name="sha256 expected" value={said['sha256']} />
        <Fact
          name="sha256 computed"
          value={
            pin === undefined ? computedIn(job.failure?.message) : (pin['sha256'] ?? said['sha256'])
          }
        />
      </dl>
      {code.startsWith('PAYLOAD_') && <p className="message">{job.failure?.message}</p>}
    </section>
  );
}

/** Of a payload that was refused only the failure's message says what its bytes hash to. */
const computedIn = (message = ''): string | undefined =>
  /\bsha256 is ([0-9a-f]{64})/.exec(message)?.[1];

function PayloadVerdict({ isPinned, code }: { readonly isPinned: boolean; readonly code: string }) {
  if (code.startsWith('PAYLOAD_')) return <Status status="FAILED" />;
  return isPinned ? (
    <span className="status good">✓ is what was asked for</span>
  ) : (
    <span className="faint">not validated yet</span>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (value === undefined || value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{wordOf(value)}</code>
      </dd>
    </>
  );
}

const lengthOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? `${value} (${bytes(value)})` : undefined;

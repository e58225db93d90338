import type { Answer } from '../api/call.ts';
import { isRecord } from '../graph/definition.ts';
import { wordOf } from '../submit/schema.ts';
import { bytes, count } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { payloadFacts } from './payload-facts.ts';
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

/** What the client said the payload is, what was read of it, and what that means. */
function PayloadPanel({
  job,
  request: { payloadRef, payloadPin },
}: {
  readonly job: Job;
  readonly request: Answer<'getTrail'>['request'];
}) {
  if (!isRecord(payloadRef)) return null;
  const pin = isRecord(payloadPin) ? payloadPin : undefined;
  const { promised, read, verdict } = payloadFacts(payloadRef, payloadPin, job.failure);
  return (
    <section className="payload" aria-label="Payload">
      <h2>
        Payload{' '}
        {verdict === undefined ? (
          <span className="faint">not validated yet</span>
        ) : (
          <span className={`status ${verdict.isGood ? 'good' : 'bad'}`}>
            <span aria-hidden="true">{verdict.isGood ? '✓' : '✕'}</span> {verdict.text}
          </span>
        )}
      </h2>
      <dl className="facts">
        <Fact name="bucket" value={payloadRef['bucket']} />
        <Fact name="key" value={payloadRef['key']} />
        <Fact
          name="version"
          value={pin?.['versionId'] ?? payloadRef['versionId'] ?? pin?.['etag']}
        />
        <Fact name="length promised" value={lengthOf(promised.length)} />
        <Fact
          name="length read"
          value={lengthOf(read.length)}
          differs={differ(promised.length, read.length)}
        />
        <Fact name="sha256 expected" value={promised.sha256} />
        <Fact
          name="sha256 computed"
          value={read.sha256}
          differs={differ(promised.sha256, read.sha256)}
        />
      </dl>
    </section>
  );
}

const differ = (left: unknown, right: unknown): boolean =>
  left !== undefined && right !== undefined && left !== right;

function Fact(props: {
  readonly name: string;
  readonly value: unknown;
  readonly differs?: boolean;
}) {
  const { name, value, differs = false } = props;
  if (value === undefined || value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{wordOf(value)}</code>
        {differs && <strong className="bad"> ✕ differs</strong>}
      </dd>
    </>
  );
}

const lengthOf = (value: number | bigint | undefined): string | undefined =>
  value === undefined
    ? undefined
    : `${count(value)} bytes${value < 1024 ? '' : ` (${bytes(value)})`}`;

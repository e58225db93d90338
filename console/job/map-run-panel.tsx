import { useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import type { Level } from '../graph/definition.ts';
import { count, duration } from '../parts/format.ts';
import { setQuery, usePlace } from '../parts/location.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import { MapRunChild } from './map-run-child.tsx';

const statuses = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'];
const counted = ['running', 'pending', 'succeeded', 'failed', 'timedOut', 'aborted'];

/** The Map Run of a distributed Map: how many children stand how, and the children, each an execution of its own. */
export function MapRunPanel(props: {
  readonly jobId: string;
  readonly mapRunArn: string;
  /** What a child runs. */
  readonly level: Level | undefined;
  /** Another one asks again. */
  readonly version: string;
}) {
  const { jobId, mapRunArn, level, version } = props;
  const mapRunId = mapRunArn.split(':').at(-1) ?? '';
  const path = { jobId, mapRunId };
  const child = usePlace().query.get('child') ?? undefined;
  const [status, setStatus] = useState('');
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const runs = useAnswer('listMapRuns', { path: { jobId } }, undefined, version);
  const query = { limit: 20, status, nextToken: tokens.at(-1) };
  const children = useAnswer('listMapRunChildren', { path, query }, undefined, version);
  const run = runs.body?.mapRuns.find((one) => one.mapRunId === mapRunId);
  return (
    <section className="map-run" aria-label="Map Run">
      <h3>
        Map Run {run !== undefined && <Status status={run.status} />}
        {run !== undefined && run.redriveCount > 0 && (
          <span className="faint">
            {' '}
            redriven {count(run.redriveCount)}×, last <At at={run.redrivenAt} />
          </span>
        )}
      </h3>
      <ProblemNote error={runs.error ?? children.error} />
      {run !== undefined && (
        <p className="faint">
          {count(run.executionCounts['total'] ?? 0)}{' '}
          {run.executionCounts['total'] === 1 ? 'child' : 'children'}:{' '}
          {counted
            .filter((name) => (run.executionCounts[name] ?? 0) > 0)
            .map((name) => `${count(run.executionCounts[name] ?? 0)} ${name}`)
            .join(', ')}
        </p>
      )}
      <label className="inline">
        Status
        <select
          value={status}
          onChange={(event) => {
            setStatus(event.target.value);
            setTokens([]);
          }}
        >
          <option value="">any</option>
          {statuses.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {children.body?.children.length === 0 && <p className="faint">No child fits.</p>}
      {children.body !== undefined && children.body.children.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Child</th>
                <th scope="col">Status</th>
                <th scope="col">Started</th>
                <th scope="col">Took</th>
                <th scope="col">Redriven</th>
              </tr>
            </thead>
            <tbody>
              {children.body.children.map((one) => (
                <tr key={one.arn}>
                  <td>
                    <button
                      type="button"
                      className="quiet small id"
                      title={one.name}
                      aria-expanded={one.arn === child}
                      onClick={() => setQuery({ child: one.arn === child ? undefined : one.arn })}
                    >
                      {one.name}
                    </button>
                  </td>
                  <td>
                    <Status status={one.status} />
                  </td>
                  <td className="nowrap">
                    <At at={one.startedAt} />
                  </td>
                  <td className="nowrap">
                    {one.startedAt !== null && one.stoppedAt !== null
                      ? duration(Date.parse(one.stoppedAt) - Date.parse(one.startedAt))
                      : ''}
                  </td>
                  <td className="nowrap">
                    {one.redriveCount === 0 ? (
                      ''
                    ) : (
                      <>
                        {count(one.redriveCount)}×, <At at={one.redrivenAt} />
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pager passed={tokens} next={children.body?.nextToken} onChange={setTokens} />
      {child !== undefined && (
        <MapRunChild key={child} path={path} arn={child} level={level} version={version} />
      )}
    </section>
  );
}

import { useAnswer } from '../api/use-answer.ts';
import { count, duration } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';

export function StuckTab() {
  const { body, error } = useAnswer('getStuckJobs', {}, 10_000);
  return (
    <>
      <div className="toolbar">
        <Link to="/runbooks/stuck-jobs.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body?.jobs.length === 0 && <p className="calm">Every open job goes on as it should.</p>}
      {body !== undefined && body.jobs.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">Type</th>
                <th scope="col">Status</th>
                <th scope="col">Why</th>
                <th scope="col">For</th>
                <th scope="col">Usual</th>
                <th scope="col">Events</th>
                <th scope="col">What next</th>
              </tr>
            </thead>
            <tbody>
              {body.jobs.map((job) => (
                <tr key={`${job.jobId} ${job.why}`}>
                  <td>
                    <Link to={`/jobs/${job.jobId}`} className="id">
                      {job.jobId}
                    </Link>
                  </td>
                  <td className="nowrap">{job.type}</td>
                  <td>
                    <Status status={job.status} />
                  </td>
                  <td className="nowrap">
                    {job.why}
                    {job.state !== null && ` in ${job.state}`}
                  </td>
                  <td className="nowrap">{duration(job.ageSeconds * 1000)}</td>
                  <td className="nowrap">
                    {job.usualSeconds === null ? '–' : duration(job.usualSeconds * 1000)}
                  </td>
                  <td>{job.historyEvents === null ? '–' : count(job.historyEvents)}</td>
                  <td className="what">{job.nextAction}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

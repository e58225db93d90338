import { useAnswer } from '../api/use-answer.ts';
import { count } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import { BulkForm } from './bulk-form.tsx';
import { BulkProgress } from './bulk-progress.tsx';

/** Redriving or cancelling many jobs at a pace: what would happen, how it gets on, what was done before. */
export default function BulkPage({ bulkId }: { readonly bulkId: string | undefined }) {
  if (bulkId !== undefined) return <BulkProgress bulkId={bulkId} />;
  return (
    <>
      <div className="title">
        <h1>Bulk operations</h1>
        <Link to="/runbooks/bulk-redrive.md">Runbook</Link>
      </div>
      <BulkForm />
      <BulkList />
    </>
  );
}

function BulkList() {
  const { body, error } = useAnswer('listBulkOperations', { query: { limit: 50 } }, 5_000);
  return (
    <section className="card" aria-labelledby="before">
      <h2 id="before">Started so far</h2>
      <ProblemNote error={error} />
      {body?.bulkOperations.length === 0 && <p className="faint">None.</p>}
      {body !== undefined && body.bulkOperations.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">What</th>
                <th scope="col">Status</th>
                <th scope="col">Started</th>
                <th scope="col">By</th>
                <th scope="col">Jobs</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {body.bulkOperations.map((bulk) => (
                <tr key={bulk.bulkId}>
                  <td>
                    <Link to={`/bulk/${bulk.bulkId}`}>{bulk.name}</Link>
                  </td>
                  <td>{bulk.operation}</td>
                  <td>
                    <Status status={bulk.status} />
                  </td>
                  <td className="nowrap">
                    <At at={bulk.createdAt} />
                  </td>
                  <td>{bulk.actor}</td>
                  <td className="nowrap">
                    {count(bulk.done)} of {count(bulk.total)}
                  </td>
                  <td className="what">{bulk.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { count } from '../parts/format.ts';
import { Link, setQuery, usePlace } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Actions } from './actions.tsx';
import { DataTab } from './data-tab.tsx';
import { EffectsTab } from './effects-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { Gauges } from './gauges.tsx';
import { Identity } from './identity.tsx';
import { StatesTab } from './states-tab.tsx';
import { TimelineTab } from './timeline-tab.tsx';
import { TrailTab } from './trail-tab.tsx';
import { type NewestEvents, useHistory, useNewestEvents } from './use-history.ts';
import { type Job, useJob } from './use-job.ts';
import { Verdict } from './verdict.tsx';

export default function JobPage({ jobId }: { readonly jobId: string }) {
  const { job, error, reload } = useJob(jobId);
  const { isOperator } = useSession();
  const newest = useNewestEvents(jobId, isOperator);
  if (job === undefined) {
    return (
      <>
        <h1>Job</h1>
        {error === undefined ? <p className="loading">Loading …</p> : <ProblemNote error={error} />}
        <p>
          <Link to="/jobs">All jobs</Link>
        </p>
      </>
    );
  }
  return isOperator ? (
    <OperatorView job={job} error={error} reload={reload} newest={newest} />
  ) : (
    <ClientView job={job} error={error} reload={reload} />
  );
}

type Props = { readonly job: Job; readonly error: unknown; readonly reload: () => void };

/** What a tenant's key is shown: the job as its client knows it. */
function ClientView({ job, error, reload }: Props) {
  return (
    <>
      <Verdict job={job} />
      <Actions job={job} onDone={reload} />
      <ProblemNote error={error} />
      <Identity job={job} />
      <section className="card">
        <DataTab job={job} />
      </section>
    </>
  );
}

const effectsLabel = (many: number | undefined): string =>
  many === undefined ? 'Effects' : `Effects ${count(many)}`;

const isOpen = ({ status }: Job): boolean => status === 'PENDING' || status === 'RUNNING';

function OperatorView({
  job,
  error,
  reload,
  newest,
}: Props & { readonly newest: NewestEvents | undefined }) {
  const { jobId, execution } = job;
  const path = { jobId };
  const tab = usePlace().query.get('tab') ?? 'states';
  const version = `${job.status} ${job.run} ${execution.redriveCount} ${job.startedAt ?? ''}`;
  const pollMs = isOpen(job) ? 4_000 : 30_000;
  const trail = useAnswer('getTrail', { path }, pollMs, version);
  const effects = useAnswer('listEffects', { path }, pollMs, version);
  const told = useAnswer(
    'getExecution',
    { path, query: { limit: 1, states: false } },
    undefined,
    version,
  );
  const history = useHistory(jobId, execution.name, version, isOpen(job), newest);
  const changed = (): void => {
    reload();
    trail.reload();
    effects.reload();
    told.reload();
  };
  const definition = told.body?.definition ?? undefined;
  return (
    <>
      <Verdict job={job} execution={told.body} />
      <Actions
        job={job}
        trail={trail.body}
        effects={effects.body?.effects}
        history={history}
        execution={told.body}
        onDone={changed}
      />
      <ProblemNote error={error ?? trail.error ?? history.error} />
      <Identity job={job} trail={trail.body} definition={definition} />
      <Gauges history={history} />
      <Tabs
        label="About this job"
        chosen={tab}
        onChoose={(id) => setQuery({ tab: id === 'states' ? undefined : id })}
        tabs={[
          {
            id: 'states',
            label: 'States',
            content: () => <StatesTab jobId={jobId} definition={definition} history={history} />,
          },
          { id: 'timeline', label: 'Timeline', content: () => <TimelineTab history={history} /> },
          {
            id: 'events',
            label: `Events ${count(history.total)}`,
            content: () => <EventsTab history={history} />,
          },
          {
            id: 'effects',
            label: effectsLabel(effects.body?.effects.length),
            content: () => (
              <EffectsTab effects={effects.body?.effects} error={effects.error} onDone={changed} />
            ),
          },
          {
            id: 'data',
            label: 'Data',
            content: () => <DataTab job={job} trail={trail.body} history={history} />,
          },
          {
            id: 'trail',
            label: 'Trail',
            content: () => (
              <TrailTab job={job} trail={trail.body} execution={told.body} history={history} />
            ),
          },
        ]}
      />
    </>
  );
}

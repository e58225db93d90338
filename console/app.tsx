import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { call, Refused } from './api/call.ts';
import {
  forgetKey,
  keepKey,
  keptKey,
  type Me,
  SessionProvider,
  useSession,
} from './api/session.tsx';
import { JobsPage } from './jobs/jobs-page.tsx';
import { Navigation } from './navigation.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { usePlace } from './parts/location.tsx';
import { ProblemNote } from './parts/problem-note.tsx';
import { SignIn } from './sign-in.tsx';

const jobPage = () => import('./job/job-page.tsx');
const LazyJobPage = lazy(jobPage);
const OperationsPage = lazy(() => import('./operations/operations-page.tsx'));
const BulkPage = lazy(() => import('./bulk/bulk-page.tsx'));
const SubmitPage = lazy(() => import('./submit/submit-page.tsx'));
const MachinesPage = lazy(() => import('./graph/machines-page.tsx'));
const RunbookPage = lazy(() => import('./runbooks/runbook-page.tsx'));

/**
 * Where a job's page is what is opened, its script is loaded beside the question whose key it is. It is then there when
 * the key is known: React would show a fallback first, and keep that for 300 ms.
 */
const isJobOpened = /^\/console\/jobs\/./.test(window.location.pathname);
const opened = isJobOpened ? jobPage().catch(() => undefined) : undefined;
let JobPage: typeof LazyJobPage | Awaited<ReturnType<typeof jobPage>>['default'] = LazyJobPage;

type Signed = { readonly key: string; readonly me: Me };

export function App() {
  const [signed, setSigned] = useState<Signed>();
  const [error, setError] = useState<unknown>();
  const [isTrying, setTrying] = useState(keptKey() !== null);

  useEffect(() => {
    const key = keptKey();
    if (key === null) return;
    Promise.all([call(key, 'getMe'), opened]).then(
      ([{ body }, page]) => {
        JobPage = page?.default ?? LazyJobPage;
        setSigned({ key, me: body });
        setTrying(false);
      },
      (failure: unknown) => {
        if (failure instanceof Refused && failure.status === 401) forgetKey();
        setError(failure);
        setTrying(false);
      },
    );
  }, []);

  const signIn = useCallback((key: string, me: Me) => {
    keepKey(key);
    setError(undefined);
    setSigned({ key, me });
  }, []);
  const signOut = useCallback(() => {
    forgetKey();
    setSigned(undefined);
  }, []);

  if (isTrying) return <p className="loading">Signing in …</p>;
  if (signed === undefined) {
    return (
      <>
        <SignIn onSignedIn={signIn} />
        <ProblemNote error={error} />
      </>
    );
  }
  return (
    <SessionProvider apiKey={signed.key} me={signed.me} onSignOut={signOut}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<p className="loading">Loading …</p>}>
          <Page />
        </Suspense>
      </main>
    </SessionProvider>
  );
}

function Page() {
  const { path } = usePlace();
  const { isOperator } = useSession();
  const [, first = '', second] = path.split('/');
  const name = second === undefined || second === '' ? undefined : decodeURIComponent(second);
  useEffect(() => {
    document.title = `${titles[first] ?? 'Pawl'} · Pawl`;
  }, [first]);
  if (first === 'jobs')
    return name === undefined ? <JobsPage /> : <JobPage key={name} jobId={name} />;
  if (first === 'try') return <SubmitPage />;
  if (first === 'machines') return <MachinesPage name={name} />;
  if (first === 'runbooks' && name !== undefined) return <RunbookPage key={name} name={name} />;
  if (isOperator && first === 'operations') return <OperationsPage tab={name} />;
  if (isOperator && first === 'bulk') return <BulkPage key={name} bulkId={name} />;
  if (first !== '') return <NotHere />;
  return isOperator ? <OverviewPage /> : <JobsPage />;
}

const titles: Readonly<Record<string, string>> = {
  '': 'Overview',
  jobs: 'Jobs',
  try: 'Try it',
  machines: 'State machines',
  runbooks: 'Runbook',
  operations: 'Operations',
  bulk: 'Bulk operations',
};

function NotHere() {
  const { isOperator } = useSession();
  return (
    <>
      <h1>Nothing here</h1>
      <p>
        {isOperator
          ? 'There is no such page.'
          : 'There is no such page for this key: operations need the scope ops.'}
      </p>
    </>
  );
}

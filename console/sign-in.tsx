import { type SubmitEvent, useState } from 'react';
import { call } from './api/call.ts';
import type { Me } from './api/session.tsx';
import { ProblemNote } from './parts/problem-note.tsx';
import { useAction } from './parts/use-action.ts';

/** Asks for an API key and tries it. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: (key: string, me: Me) => void }) {
  const [key, setKey] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    const { body } = await call(key.trim(), 'getMe');
    onSignedIn(key.trim(), body);
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    run();
  };
  return (
    <main className="sign-in">
      <h1>Pawl</h1>
      <p>
        An operator’s key shows every tenant’s jobs and the operations; a tenant’s key shows its own
        jobs. It is kept in this tab only, and gone when the tab is closed.
      </p>
      <form onSubmit={submit}>
        <label>
          API key
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            autoFocus
            value={key}
            onChange={(event) => setKey(event.target.value)}
            placeholder="pawl_…"
          />
        </label>
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <ProblemNote error={error} />
      <p className="faint">
        <code>npm start</code> prints one of each; <code>npm run keys -- create</code> makes more.
      </p>
    </main>
  );
}

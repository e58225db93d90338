import { useSession } from './api/session.tsx';
import { Link, usePlace } from './parts/location.tsx';
import { ThemeButton } from './parts/theme-button.tsx';

const pages: readonly { to: string; label: string; forOperators: boolean }[] = [
  { to: '/', label: 'Overview', forOperators: true },
  { to: '/jobs', label: 'Jobs', forOperators: false },
  { to: '/operations/queues', label: 'Operations', forOperators: true },
  { to: '/bulk', label: 'Bulk', forOperators: true },
  { to: '/machines', label: 'State machines', forOperators: false },
  { to: '/try', label: 'Try it', forOperators: false },
];

export function Navigation() {
  const { me, isOperator, signOut } = useSession();
  const { path } = usePlace();
  const first = path.split('/')[1] ?? '';
  return (
    <header className="bar">
      <Link to="/" className="brand">
        Pawl
      </Link>
      <nav aria-label="Pages">
        {pages
          .filter((page) => isOperator || !page.forOperators)
          .map(({ to, label }) => (
            <Link key={to} to={to} aria-current={to.split('/')[1] === first ? 'page' : undefined}>
              {label}
            </Link>
          ))}
      </nav>
      <div className="who">
        <span title={`key ${me.keyId}; scopes ${me.scopes.join(', ')}`}>
          {me.tenantId === null ? 'operator' : `tenant ${me.tenantId}`}
        </span>
        <ThemeButton />
        <button type="button" className="quiet" onClick={signOut}>
          Sign out
        </button>
      </div>
    </header>
  );
}

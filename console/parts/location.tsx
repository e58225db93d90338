import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

/** Where in the console the page is: the path below /console, and the query. */
export type Place = { readonly path: string; readonly query: URLSearchParams };

const base = '/console';
const changed = 'pawl:moved';

const subscribe = (listener: () => void): (() => void) => {
  window.addEventListener('popstate', listener);
  window.addEventListener(changed, listener);
  return () => {
    window.removeEventListener('popstate', listener);
    window.removeEventListener(changed, listener);
  };
};

export function usePlace(): Place {
  const href = useSyncExternalStore(subscribe, () => window.location.href);
  const { pathname, search } = new URL(href);
  return { path: pathname.slice(base.length) || '/', query: new URLSearchParams(search) };
}

/** `path` begins with a slash and may have a query. */
export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  window.history[how === 'push' ? 'pushState' : 'replaceState'](null, '', base + path);
  window.dispatchEvent(new Event(changed));
  if (how !== 'push') return;
  window.scrollTo(0, 0);
  // The link that led here may be gone with its page: a reader and the keyboard go on where the new one begins.
  document.getElementById('main')?.focus({ preventScroll: true });
}

export function setQuery(values: Readonly<Record<string, string | undefined>>): void {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  go(pathname.slice(base.length) + (query.size === 0 ? '' : `?${query}`), 'replace');
}

export function Link({
  to,
  ...rest
}: { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return <a {...rest} href={base + to} onClick={follow} />;
}

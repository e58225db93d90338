import { useEffect, useState } from 'react';
import { Link } from '../parts/location.tsx';
import { Markdown } from './markdown.tsx';

/** Pages of docs/, each a file of its own that is loaded when it is asked for. */
const pages = import.meta.glob<string>(
  ['../../docs/runbooks/*.md', '../../docs/failure-codes.md'],
  { query: '?raw', import: 'default' },
);
const pageOf = (name: string) =>
  pages[`../../docs/runbooks/${name}`] ?? pages[`../../docs/${name}`];

export default function RunbookPage({ name }: { readonly name: string }) {
  const [text, setText] = useState<string>();
  useEffect(() => {
    void pageOf(name)?.().then(setText);
  }, [name]);
  useEffect(() => {
    const part = decodeURIComponent(window.location.hash.slice(1));
    if (text !== undefined && part !== '') document.getElementById(part)?.scrollIntoView();
  }, [text]);
  if (pageOf(name) === undefined) {
    return (
      <>
        <h1>No such runbook</h1>
        <Link to="/runbooks/README.md">All runbooks</Link>
      </>
    );
  }
  return text === undefined ? (
    <p className="loading">Loading …</p>
  ) : (
    <article className="card prose">
      <Markdown text={text} />
      <hr />
      <Link to="/runbooks/README.md">All runbooks</Link>
    </article>
  );
}

import { Fragment, type ReactNode } from 'react';
import { Link } from '../parts/location.tsx';

/** What our runbooks use of Markdown: headings, paragraphs, lists, tables, code, links, emphasis. */
export function Markdown({ text }: { readonly text: string }) {
  return blocksOf(text).map((block, index) => <Fragment key={index}>{draw(block)}</Fragment>);
}

type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'paragraph'; readonly text: string };

/** Pure: one block per group of lines. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  const takeWhile = (isMeant: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (lines[0] !== undefined && isMeant(lines[0])) taken.push(lines.shift() ?? '');
    return taken;
  };
  while (lines.length > 0) {
    const [line = ''] = lines;
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.trim() === '') {
      lines.shift();
    } else if (line.startsWith('```')) {
      lines.shift();
      blocks.push({ kind: 'code', text: takeWhile((code) => !code.startsWith('```')).join('\n') });
      lines.shift();
    } else if (/^ {4}/.test(line)) {
      blocks.push({ kind: 'code', text: unindented(takeWhile((code) => /^ {4}/.test(code))) });
    } else if (heading !== null) {
      lines.shift();
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
    } else if (line.startsWith('|')) {
      const rows = takeWhile((row) => row.startsWith('|')).filter(
        (row) => !/^\|[\s|:-]+\|$/.test(row),
      );
      blocks.push({ kind: 'table', rows: rows.map(cellsOf) });
    } else if (item.test(line)) {
      const start = /^\s*(\d+)\./.exec(line)?.[1];
      blocks.push({
        kind: 'list',
        // A list that a block of code stands in goes on with its own number.
        start: start === undefined ? undefined : Number(start),
        items: itemsOf(takeWhile((row) => row.trim() !== '')),
      });
    } else {
      const own = takeWhile(
        (row) => row.trim() !== '' && !/^(#{1,6} |```|\|)/.test(row) && !item.test(row),
      );
      blocks.push({ kind: 'paragraph', text: own.map((row) => row.trim()).join(' ') });
    }
  }
  return blocks;
}

const item = /^\s*([-*]|\d+\.) /;

function unindented(lines: readonly string[]): string {
  const margin = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(margin)).join('\n');
}

const cellsOf = (row: string): string[] =>
  row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));

/** A line that begins no item goes on with the one before it. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (item.test(line)) items.push(line.replace(item, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

function draw(block: Block): ReactNode {
  switch (block.kind) {
    case 'heading': {
      const Tag = `h${Math.min(6, block.level)}` as 'h1';
      return <Tag id={block.text}>{inline(block.text)}</Tag>;
    }
    case 'code':
      return <pre tabIndex={0}>{block.text}</pre>;
    case 'list': {
      const items = block.items.map((text, index) => <li key={index}>{inline(text)}</li>);
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <Table rows={block.rows} />;
    case 'paragraph':
      return <p>{inline(block.text)}</p>;
  }
}

function Table({ rows }: { readonly rows: readonly (readonly string[])[] }) {
  const [head = [], ...body] = rows;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th scope="col" key={index}>
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const token = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/;

function inline(text: string): ReactNode {
  return text
    .split(token)
    .map((part, index) => <Fragment key={index}>{drawInline(part)}</Fragment>);
}

function drawInline(part: string): ReactNode {
  if (/^`.+`$/.test(part)) return <code>{part.slice(1, -1)}</code>;
  if (/^\*\*.+\*\*$/.test(part)) return <strong>{part.slice(2, -2)}</strong>;
  const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
  if (link === null) return part;
  const [, label = '', to = ''] = link;
  if (/^[\w-]+\.md(#.*)?$/.test(to))
    return <Link to={`/runbooks/${to.replace(/#.*$/, '')}`}>{label}</Link>;
  // Other pages of docs/ are not served; where they stand is said.
  return to.startsWith('https://') ? (
    <a href={to} rel="noreferrer" target="_blank">
      {label}
    </a>
  ) : (
    <span title={to}>{label}</span>
  );
}

import { DatabaseSync } from 'node:sqlite';
import { compilePattern, type EventMatcher } from './match-pattern.ts';

export interface Target {
  readonly id: string;
  /** The ARN of an SQS queue or an SNS topic. */
  readonly arn: string;
  /** Constant JSON sent in place of the event. */
  readonly input?: string;
  readonly messageGroupId?: string;
}

export interface Rule {
  readonly name: string;
  readonly eventPattern: string;
  readonly state: 'ENABLED' | 'DISABLED';
  readonly description?: string;
  readonly targets: readonly Target[];
}

export interface RuleStore {
  get(name: string): Rule | undefined;
  /** Sorted by name. */
  all(): readonly Rule[];
  /** The enabled rules whose pattern the event meets. */
  matching(event: Readonly<Record<string, unknown>>): readonly Rule[];
  /** On disk when it returns. */
  put(rule: Rule): void;
  delete(name: string): void;
  close(): void;
}

/** Opens the rules kept in an SQLite file; they are few, so all are held in memory with their patterns compiled. */
export function openRules(file: string): RuleStore {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec('create table if not exists rules (name text primary key, rule text not null) strict');
  const upsert = db.prepare(
    'insert into rules values (?, ?) on conflict (name) do update set rule = excluded.rule',
  );
  const remove = db.prepare('delete from rules where name = ?');

  const rules = new Map<string, { readonly rule: Rule; readonly matches: EventMatcher }>();
  const keep = (rule: Rule): void => {
    rules.set(rule.name, { rule, matches: compilePattern(rule.eventPattern) });
  };
  for (const row of db.prepare('select rule from rules').all()) {
    // Written by `put` below and by nobody else.
    keep(JSON.parse(String(row['rule'])) as Rule);
  }
  return {
    get: (name) => rules.get(name)?.rule,
    all: () =>
      [...rules.values()].map(({ rule }) => rule).sort((a, b) => (a.name < b.name ? -1 : 1)),
    matching: (event) =>
      [...rules.values()]
        .filter(({ rule, matches }) => rule.state === 'ENABLED' && matches(event))
        .map(({ rule }) => rule),
    put: (rule) => {
      upsert.run(rule.name, JSON.stringify(rule));
      keep(rule);
    },
    delete: (name) => {
      remove.run(name);
      rules.delete(name);
    },
    close: () => db.close(),
  };
}

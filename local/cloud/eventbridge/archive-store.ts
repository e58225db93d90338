import { DatabaseSync } from 'node:sqlite';
import { createGroupCommit } from '../group-commit.ts';
import { compilePattern, type EventMatcher } from './match-pattern.ts';

export interface Archive {
  readonly name: string;
  /** The bus whose events it keeps. */
  readonly sourceArn: string;
  /** Undefined: every event. */
  readonly eventPattern?: string;
  readonly description?: string;
  /** 0: for ever. */
  readonly retentionDays: number;
  readonly createdAtMs: number;
}

export type ReplayState = 'STARTING' | 'RUNNING' | 'CANCELLING' | 'COMPLETED' | 'CANCELLED';

export interface Replay {
  readonly name: string;
  readonly archive: string;
  readonly archiveArn: string;
  readonly description?: string;
  readonly busArn: string;
  /** The rules that it goes to; empty: all. */
  readonly rules: readonly string[];
  readonly state: ReplayState;
  /** From this time of events, and before the next. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  /** The last event that was replayed. */
  readonly at?: Place;
}

/** Where an event stands in its archive: by its time, then in the order of arrival. */
export interface Place {
  readonly timeMs: number;
  readonly id: number;
}

export type BusEvent = Readonly<Record<string, unknown>>;

export interface ArchiveStore {
  get(name: string): Archive | undefined;
  /** Sorted by name. */
  all(): readonly Archive[];
  put(archive: Archive): void;
  /** With the events in it. */
  delete(name: string): void;
  /** How much is kept in it. */
  sizeOf(name: string): { readonly events: number; readonly bytes: number };
  /** Keeps the event in each archive whose pattern it meets. */
  keep(event: BusEvent, timeMs: number, nowMs: number): void;
  /** Those of the replay's range that follow what it has replayed. */
  next(replay: Replay, limit: number): readonly (Place & { readonly event: BusEvent })[];
  getReplay(name: string): Replay | undefined;
  /** Sorted by name. */
  replays(): readonly Replay[];
  putReplay(replay: Replay): void;
  /** Removes events past their archive's retention, and replays that ended long ago. */
  removeOld(nowMs: number): void;
  /** Resolves when everything so far is on disk. */
  onDisk(): Promise<void>;
  close(): void;
}

const DAY_MS = 86_400_000;
/** As on AWS: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-replay-archived-event.html */
const REPLAY_RETENTION_MS = 90 * DAY_MS;

/** Opens the archives kept in an SQLite file; the writes of one turn are one commit. */
export function openArchives(file: string): ArchiveStore {
  const db = new DatabaseSync(file);
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists archives (name text primary key, archive text not null) strict;
    create table if not exists events (
      id integer primary key, archive text not null, time_ms integer not null, kept_ms integer not null, event text not null
    ) strict;
    create index if not exists events_in_time on events (archive, time_ms, id);
    create index if not exists events_by_age on events (archive, kept_ms);
    create table if not exists replays (name text primary key, replay text not null) strict;`);
  const commits = createGroupCommit(db);
  const statement = (text: string) => {
    const prepared = db.prepare(text);
    return (...values: (string | number)[]): void => {
      commits.begin();
      prepared.run(...values);
    };
  };
  const putArchive = statement(
    'insert into archives values (?, ?) on conflict (name) do update set archive = excluded.archive',
  );
  const putReplay = statement(
    'insert into replays values (?, ?) on conflict (name) do update set replay = excluded.replay',
  );
  const deleteArchive = statement('delete from archives where name = ?');
  const deleteEvents = statement('delete from events where archive = ?');
  const deleteOldEvents = statement('delete from events where archive = ? and kept_ms < ?');
  const deleteReplay = statement('delete from replays where name = ?');
  const insertEvent = statement(
    'insert into events (archive, time_ms, kept_ms, event) values (?, ?, ?, ?)',
  );
  const readSize = db.prepare(
    'select count(*) as events, coalesce(sum(length(event)), 0) as bytes from events where archive = ?',
  );
  const readNext = db.prepare(`
    select id, time_ms, event from events
    where archive = ? and time_ms < ? and (time_ms, id) > (?, ?)
    order by time_ms, id limit ?`);

  const archives = new Map<string, { readonly archive: Archive; readonly matches: EventMatcher }>();
  const hold = (archive: Archive): void => {
    const { eventPattern } = archive;
    const matches = eventPattern === undefined ? () => true : compilePattern(eventPattern);
    archives.set(archive.name, { archive, matches });
  };
  const replays = new Map<string, Replay>();
  // All three were written below and by nobody else.
  for (const row of db.prepare('select archive from archives').all())
    hold(JSON.parse(String(row['archive'])) as Archive);
  for (const row of db.prepare('select name, replay from replays').all())
    replays.set(String(row['name']), JSON.parse(String(row['replay'])) as Replay);

  return {
    get: (name) => archives.get(name)?.archive,
    all: () => [...archives.values()].map(({ archive }) => archive).sort(byName),
    put: (archive) => {
      putArchive(archive.name, JSON.stringify(archive));
      hold(archive);
    },
    delete: (name) => {
      deleteArchive(name);
      deleteEvents(name);
      archives.delete(name);
    },
    sizeOf: (name) => {
      const row = readSize.get(name);
      return { events: Number(row?.['events']), bytes: Number(row?.['bytes']) };
    },
    keep: (event, timeMs, nowMs) => {
      for (const { archive, matches } of archives.values()) {
        if (matches(event)) insertEvent(archive.name, timeMs, nowMs, JSON.stringify(event));
      }
    },
    next: ({ archive, fromMs, toMs, at = { timeMs: fromMs, id: 0 } }, limit) =>
      readNext.all(archive, toMs, at.timeMs, at.id, limit).map((row) => ({
        id: Number(row['id']),
        timeMs: Number(row['time_ms']),
        event: JSON.parse(String(row['event'])) as BusEvent,
      })),
    getReplay: (name) => replays.get(name),
    replays: () => [...replays.values()].sort(byName),
    putReplay: (replay) => {
      putReplay(replay.name, JSON.stringify(replay));
      replays.set(replay.name, replay);
    },
    removeOld: (nowMs) => {
      for (const { archive } of archives.values()) {
        if (archive.retentionDays > 0)
          deleteOldEvents(archive.name, nowMs - archive.retentionDays * DAY_MS);
      }
      for (const { name, endedAtMs = nowMs } of replays.values()) {
        if (endedAtMs >= nowMs - REPLAY_RETENTION_MS) continue;
        deleteReplay(name);
        replays.delete(name);
      }
    },
    onDisk: () => commits.onDisk(),
    close: () => {
      commits.flush();
      db.close();
    },
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

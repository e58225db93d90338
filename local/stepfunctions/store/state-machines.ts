import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type MachineType = 'STANDARD' | 'EXPRESS';

export type MachineRow = {
  readonly arn: string;
  readonly name: string;
  readonly type: MachineType;
  /** The revision that an unqualified ARN means. */
  readonly revision: number;
  readonly createdAt: number;
  readonly deleting: boolean;
};

/** One state of a machine's definition and configuration. Never changed once written. */
export type Revision = {
  readonly id: number;
  /** Absent for the first one: AWS gives a revision id from the first update on. */
  readonly revisionId?: string;
  readonly definition: string;
  readonly roleArn: string;
  /** JSON of loggingConfiguration, tracingConfiguration, encryptionConfiguration as given. */
  readonly logging: string;
  readonly tracing: string;
  readonly encryption?: string;
  readonly updatedAt: number;
};

export type VersionRow = {
  readonly arn: string;
  readonly machineArn: string;
  readonly number: number;
  readonly revision: number;
  readonly description?: string;
  readonly createdAt: number;
};

export type AliasRow = {
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  readonly description?: string;
  readonly routing: readonly { stateMachineVersionArn: string; weight: number }[];
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type MachineStore = ReturnType<typeof createMachineStore>;

/** State machines with their revisions, versions and aliases: plain rows, the rules are in api/. */
export function createMachineStore(db: DatabaseSync) {
  const statements = {
    insertMachine: db.prepare(
      'insert into state_machines (arn, name, type, revision, created_at) values (?, ?, ?, ?, ?)',
    ),
    machine: db.prepare('select * from state_machines where arn = ?'),
    machines: db.prepare(
      'select * from state_machines where deleting = 0 order by name limit ? offset ?',
    ),
    setRevision: db.prepare('update state_machines set revision = ? where arn = ?'),
    setDeleting: db.prepare('update state_machines set deleting = 1 where arn = ?'),
    removeMachine: db.prepare('delete from state_machines where arn = ?'),
    deletingMachines: db.prepare('select * from state_machines where deleting = 1'),
    insertRevision: db.prepare(`insert into revisions
      (machine_arn, revision_id, definition, role_arn, logging, tracing, encryption, updated_at)
      values (?, ?, ?, ?, ?, ?, ?, ?)`),
    revision: db.prepare('select * from revisions where id = ?'),
    nextVersion: db.prepare(
      'update state_machines set last_version = last_version + 1 where arn = ? returning last_version',
    ),
    insertVersion: db.prepare(`insert into versions
      (arn, machine_arn, number, revision, description, created_at) values (?, ?, ?, ?, ?, ?)`),
    version: db.prepare('select * from versions where arn = ?'),
    versions: db.prepare(
      'select * from versions where machine_arn = ? order by number desc limit ? offset ?',
    ),
    removeVersion: db.prepare('delete from versions where arn = ?'),
    removeVersions: db.prepare('delete from versions where machine_arn = ?'),
    upsertAlias: db.prepare(`insert into aliases
      (arn, machine_arn, name, description, routing, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)
      on conflict (arn) do update set description = excluded.description, routing = excluded.routing,
      updated_at = excluded.updated_at`),
    alias: db.prepare('select * from aliases where arn = ?'),
    aliases: db.prepare('select * from aliases where machine_arn = ? order by created_at, name'),
    removeAlias: db.prepare('delete from aliases where arn = ?'),
    removeAliases: db.prepare('delete from aliases where machine_arn = ?'),
  };

  return {
    insertMachine(row: Omit<MachineRow, 'deleting'>): void {
      statements.insertMachine.run(row.arn, row.name, row.type, row.revision, row.createdAt);
    },
    machine: (arn: string): MachineRow | undefined => toMachine(statements.machine.get(arn)),
    machines: (limit: number, offset: number): MachineRow[] =>
      present(statements.machines.all(limit, offset).map(toMachine)),
    setRevision: (arn: string, revision: number): void =>
      void statements.setRevision.run(revision, arn),
    /** The machine is gone for the API; its executions end at their next transition. */
    markDeleting: (arn: string): void => void statements.setDeleting.run(arn),
    deletingMachines: (): MachineRow[] => present(statements.deletingMachines.all().map(toMachine)),
    removeMachine(arn: string): void {
      statements.removeMachine.run(arn);
      statements.removeVersions.run(arn);
      statements.removeAliases.run(arn);
    },
    /** Returns the revision's number. */
    insertRevision(machineArn: string, revision: Omit<Revision, 'id'>): number {
      const { lastInsertRowid } = statements.insertRevision.run(
        machineArn,
        revision.revisionId ?? null,
        revision.definition,
        revision.roleArn,
        revision.logging,
        revision.tracing,
        revision.encryption ?? null,
        revision.updatedAt,
      );
      return Number(lastInsertRowid);
    },
    revision(id: number): Revision {
      const row = toRevision(statements.revision.get(id));
      if (!row) throw new Error(`revision ${id} is missing`);
      return row;
    },
    nextVersionNumber: (machineArn: string): number =>
      Number(statements.nextVersion.get(machineArn)?.['last_version']),
    insertVersion(row: VersionRow): void {
      statements.insertVersion.run(
        row.arn,
        row.machineArn,
        row.number,
        row.revision,
        row.description ?? null,
        row.createdAt,
      );
    },
    version: (arn: string): VersionRow | undefined => toVersion(statements.version.get(arn)),
    /** Newest first. */
    versions: (machineArn: string, limit: number, offset: number): VersionRow[] =>
      present(statements.versions.all(machineArn, limit, offset).map(toVersion)),
    removeVersion: (arn: string): void => void statements.removeVersion.run(arn),
    putAlias(row: AliasRow): void {
      statements.upsertAlias.run(
        row.arn,
        row.machineArn,
        row.name,
        row.description ?? null,
        JSON.stringify(row.routing),
        row.createdAt,
        row.updatedAt,
      );
    },
    alias: (arn: string): AliasRow | undefined => toAlias(statements.alias.get(arn)),
    aliases: (machineArn: string): AliasRow[] =>
      present(statements.aliases.all(machineArn).map(toAlias)),
    removeAlias: (arn: string): void => void statements.removeAlias.run(arn),
  };
}

type Columns = Record<string, SQLOutputValue> | undefined;

function present<T>(rows: (T | undefined)[]): T[] {
  return rows.filter((row) => row !== undefined);
}

function toMachine(row: Columns): MachineRow | undefined {
  return (
    row && {
      arn: String(row['arn']),
      name: String(row['name']),
      type: row['type'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD',
      revision: Number(row['revision']),
      createdAt: Number(row['created_at']),
      deleting: row['deleting'] === 1,
    }
  );
}

function toRevision(row: Columns): Revision | undefined {
  return (
    row && {
      id: Number(row['id']),
      ...(row['revision_id'] !== null && { revisionId: String(row['revision_id']) }),
      definition: String(row['definition']),
      roleArn: String(row['role_arn']),
      logging: String(row['logging']),
      tracing: String(row['tracing']),
      ...(row['encryption'] !== null && { encryption: String(row['encryption']) }),
      updatedAt: Number(row['updated_at']),
    }
  );
}

function toVersion(row: Columns): VersionRow | undefined {
  return (
    row && {
      arn: String(row['arn']),
      machineArn: String(row['machine_arn']),
      number: Number(row['number']),
      revision: Number(row['revision']),
      ...(row['description'] !== null && { description: String(row['description']) }),
      createdAt: Number(row['created_at']),
    }
  );
}

function toAlias(row: Columns): AliasRow | undefined {
  return (
    row && {
      arn: String(row['arn']),
      machineArn: String(row['machine_arn']),
      name: String(row['name']),
      ...(row['description'] !== null && { description: String(row['description']) }),
      // Written by putAlias alone.
      routing: JSON.parse(String(row['routing'])) as AliasRow['routing'],
      createdAt: Number(row['created_at']),
      updatedAt: Number(row['updated_at']),
    }
  );
}

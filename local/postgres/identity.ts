// PostgreSQL refuses to run as root. These are the ways to start it as somebody else, the least intrusive first.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';

export interface Identity {
  /** For people: as whom the server runs. */
  readonly description: string;
  /** Wraps a command so that it runs under this identity; the wrappers exec, so the pid stays the command's own. */
  wrap(command: string, args: readonly string[]): readonly [string, ...string[]];
  /** For `spawn`: a plain change of user, where no wrapper does it. */
  readonly spawnOptions: { readonly uid?: number; readonly gid?: number };
  /** The owner that files of this identity have on disk. */
  readonly fileOwner: number;
}

const ROOT = 0;

/**
 * Chooses how to run `postgres`, whose data lives (or will live) in `dataDir`; `parentDir` exists already.
 *
 * Root in a user namespace sees a non-root uid while files stay root's: nothing on disk changes owner and directories
 * of mode 0700 above are no obstacle. Without user namespaces (a container's seccomp profile) an unprivileged user
 * with CAP_DAC_OVERRIDE still passes 0700 directories. The last way is that user alone, if it can reach everything.
 * A data directory made under one owner cannot be used under another, so its owner decides where it exists.
 */
export function chooseIdentity(postgres: string, dataDir: string, parentDir: string): Identity {
  if (process.getuid?.() !== ROOT) return asOurselves();
  const owner = existsSync(dataDir) ? statSync(dataDir).uid : undefined;
  const unprivileged = findUnprivilegedUser();
  const ways = [inUserNamespace(), withDacOverride(unprivileged), asUser(unprivileged)];
  const matching = ways.filter((way) => owner === undefined || way.fileOwner === owner);
  const works = matching.find((way) => canRun(way, postgres, parentDir));
  if (works) return works;
  const ownerNote = owner === undefined ? '' : ` The data in ${dataDir} belongs to uid ${owner}.`;
  throw new Error(
    `PostgreSQL must not run as root, and none of the other ways works here: a user namespace (unshare), ` +
      `setpriv with CAP_DAC_OVERRIDE, or uid ${unprivileged.uid}, which must reach ${postgres} and ${parentDir}.` +
      `${ownerNote} Run as an ordinary user, or set DATA_DIR to a directory that user can reach.`,
  );
}

/** Gives a file or empty directory, just made, to the identity. */
export function giveTo(identity: Identity, path: string): void {
  if (process.getuid?.() === ROOT && identity.fileOwner !== ROOT) {
    chownSync(path, identity.fileOwner, identity.spawnOptions.gid ?? identity.fileOwner);
  }
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** `postgres`, else `nobody`: a uid without a passwd entry is refused by PostgreSQL. */
function findUnprivilegedUser(): User {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const entry = entries.find(([user]) => user === name);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new Error(
    'PostgreSQL must not run as root, and /etc/passwd has neither postgres nor nobody.',
  );
}

function asOurselves(): Identity {
  const uid = process.getuid?.() ?? -1;
  return {
    description: 'this user',
    wrap: (command, args) => [command, ...args],
    spawnOptions: {},
    fileOwner: uid,
  };
}

function inUserNamespace(): Identity {
  return {
    description: 'root, seen as uid 1000 in a user namespace',
    wrap: (command, args) => [
      'unshare',
      '--user',
      '--map-user=1000',
      '--map-group=1000',
      command,
      ...args,
    ],
    spawnOptions: {},
    fileOwner: ROOT,
  };
}

function withDacOverride({ uid, gid }: User): Identity {
  const caps = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return {
    description: `uid ${uid} with CAP_DAC_OVERRIDE`,
    wrap: (command, args) => [
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      ...caps,
      command,
      ...args,
    ],
    spawnOptions: {},
    fileOwner: uid,
  };
}

function asUser({ uid, gid }: User): Identity {
  return {
    description: `uid ${uid}`,
    wrap: (command, args) => [command, ...args],
    spawnOptions: { uid, gid },
    fileOwner: uid,
  };
}

/** Whether the identity may execute the server and enter the directory its data is to live in. */
function canRun(identity: Identity, postgres: string, parentDir: string): boolean {
  const check = 'cd "$1" && "$0" --version';
  const [command, ...args] = identity.wrap('/bin/sh', ['-c', check, postgres, parentDir]);
  return spawnSync(command, args, { ...identity.spawnOptions, stdio: 'ignore' }).status === 0;
}

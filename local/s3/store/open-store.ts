import { mkdir } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { ContentFiles } from './content-files.ts';
import { DeletionWatch } from './deletion-watch.ts';
import { openIndex } from './open-index.ts';
import { text } from './read-row.ts';

/** Everything kept: the index says what exists, the content files hold the bytes. */
export interface Store {
  index: DatabaseSync;
  content: ContentFiles;
  deletions: DeletionWatch;
}

/** Opens the store of a folder, which is made if need be, and clears what a crash left behind. */
export async function openStore(
  dataDir: string,
): Promise<{ store: Store; removedLeftovers: number }> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const index = openIndex(dataDir);
  const content = new ContentFiles(dataDir);
  const mentioned = index.prepare('select file from segments union select file from parts').all();
  const { removed } = await content.recover(new Set(mentioned.map((row) => text(row, 'file'))));
  return {
    store: { index, content, deletions: new DeletionWatch() },
    removedLeftovers: removed,
  };
}

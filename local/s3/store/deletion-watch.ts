/**
 * Tells a conditional write whether its key was deleted while its body was still coming in:
 * S3 then answers 409 ConditionalRequestConflict instead of deciding on a state that never was.
 */
export class DeletionWatch {
  readonly #watchers = new Set<{ bucket: string; key: string; wasDeleted: boolean }>();

  /** Runs the work while the key is watched. */
  async during<Result>(
    bucket: string,
    key: string,
    work: (watched: { readonly wasDeleted: boolean }) => Promise<Result>,
  ): Promise<Result> {
    const watcher = { bucket, key, wasDeleted: false };
    this.#watchers.add(watcher);
    try {
      return await work(watcher);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** Called after each deletion of a key's current version. */
  deleted(bucket: string, key: string): void {
    for (const watcher of this.#watchers) {
      if (watcher.bucket === bucket && watcher.key === key) watcher.wasDeleted = true;
    }
  }
}

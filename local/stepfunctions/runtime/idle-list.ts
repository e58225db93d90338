/** So many executions with nothing under way stay in memory, in case they are woken soon. */
const MAX_IDLE = 1_000;

/** Executions that could be put out of memory; the one that has been idle longest goes first. */
export function createIdleList(evict: (id: number) => void) {
  const ids = new Set<number>();
  return {
    add(id: number): void {
      ids.delete(id);
      ids.add(id);
      if (ids.size <= MAX_IDLE) return;
      const [oldest] = ids;
      if (oldest === undefined) return;
      ids.delete(oldest);
      evict(oldest);
    },
    remove: (id: number): void => void ids.delete(id),
  };
}

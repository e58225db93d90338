/** Nobody can have anything to tell sooner. */
const shortestPatienceMs = 4;
/** Longer nobody is left without a look, whatever his job's type: it may have something to tell before its end. */
const longestPatienceMs = 40;

/**
 * How long a watch of a job of a type may go without a look: most of what the quickest of late took from the beginning of
 * their watch to their end. So what is looked at is what may have ended, and that can be looked at more often.
 */
export function createPatience() {
  const quickest = new Map<string, number>();
  return {
    of: (type: string): number =>
      Math.min(longestPatienceMs, Math.max(shortestPatienceMs, (quickest.get(type) ?? 0) * 0.8)),
    /** A quicker one counts at once, a slower one a little: types become slower, too. */
    learn(type: string, tookMs: number): void {
      const known = quickest.get(type) ?? tookMs;
      quickest.set(type, Math.min(tookMs, known + (tookMs - known) / 32));
    },
  };
}

type Backoff = { readonly firstMs: number; readonly capMs: number };

/**
 * How long to wait before attempt `attempts + 1`: exponential, capped, with full jitter, so that what failed
 * together does not come back together. `random` gives [0, 1).
 */
export function backoffMs(
  attempts: number,
  { firstMs, capMs }: Backoff,
  random: () => number,
): number {
  const ceiling = Math.min(capMs, firstMs * 2 ** Math.min(attempts - 1, 30));
  // Never at once: half of it is fixed.
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}

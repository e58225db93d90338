const multiplier = 0x5deece66dn;
const mask = (1n << 48n) - 1n;

/**
 * The number in [0, 1) that depends on the seed alone: `new java.util.Random(seed).nextDouble()`, which is what
 * AWS's $random(seed) gives.
 */
export function seededRandom(seed: number): number {
  let state = (BigInt(Math.trunc(seed)) ^ multiplier) & mask;
  const next = (bits: bigint): bigint => {
    state = (state * multiplier + 0xbn) & mask;
    return state >> (48n - bits);
  };
  return Number((next(26n) << 27n) + next(27n)) / 2 ** 53;
}

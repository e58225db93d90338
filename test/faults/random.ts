import { createHash } from 'node:crypto';

/** Numbers from 0 to 1, the same for the same seed and name (mulberry32). */
export function randomOf(seed: number, name: string): () => number {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const between = (random: () => number, low: number, high: number): number =>
  Math.floor(low + random() * (high - low));

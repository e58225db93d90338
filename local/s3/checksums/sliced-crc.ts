import type { ChecksumHash } from './checksum-hash.ts';

/** Eight tables of 256 entries for slicing by eight; 64-bit entries are kept as two 32-bit halves. */
export interface CrcTables {
  widthBits: 32 | 64;
  low: Uint32Array;
  high: Uint32Array;
}

/** Tables for a reflected CRC whose polynomial is given bit-reversed. */
export function crcTables(widthBits: 32 | 64, reflectedPolynomial: bigint): CrcTables {
  const polyLow = Number(reflectedPolynomial & 0xffffffffn);
  const polyHigh = Number(reflectedPolynomial >> 32n);
  const low = new Uint32Array(8 * 256);
  const high = new Uint32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let lo = byte;
    let hi = 0;
    for (let bit = 0; bit < 8; bit += 1) {
      const isOdd = lo & 1;
      lo = (lo >>> 1) | (hi << 31);
      hi >>>= 1;
      if (isOdd) {
        lo ^= polyLow;
        hi ^= polyHigh;
      }
    }
    low[byte] = lo;
    high[byte] = hi;
  }
  for (let entry = 256; entry < low.length; entry += 1) {
    const lo = low[entry - 256] ?? 0;
    const hi = high[entry - 256] ?? 0;
    low[entry] = ((lo >>> 8) | (hi << 24)) ^ (low[lo & 0xff] ?? 0);
    high[entry] = (hi >>> 8) ^ (high[lo & 0xff] ?? 0);
  }
  return { widthBits, low, high };
}

/** A running CRC with all-ones start and final inversion, as CRC32C and CRC64NVME define it. */
export class SlicedCrc implements ChecksumHash {
  readonly #tables: CrcTables;
  #low = 0xffffffff;
  #high: number;

  constructor(tables: CrcTables) {
    this.#tables = tables;
    this.#high = tables.widthBits === 64 ? 0xffffffff : 0;
  }

  update(bytes: Uint8Array): void {
    const { low: tl, high: th } = this.#tables;
    let lo = this.#low;
    let hi = this.#high;
    let at = 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const end = bytes.length - 7; at < end; at += 8) {
      lo ^= view.getUint32(at, true);
      hi ^= view.getUint32(at + 4, true);
      const a = 1792 + (lo & 0xff);
      const b = 1536 + ((lo >>> 8) & 0xff);
      const c = 1280 + ((lo >>> 16) & 0xff);
      const d = 1024 + (lo >>> 24);
      const e = 768 + (hi & 0xff);
      const f = 512 + ((hi >>> 8) & 0xff);
      const g = 256 + ((hi >>> 16) & 0xff);
      const h = hi >>> 24;
      lo = xor4(tl, a, b, c, d) ^ xor4(tl, e, f, g, h);
      hi = xor4(th, a, b, c, d) ^ xor4(th, e, f, g, h);
    }
    for (; at < bytes.length; at += 1) {
      const index = (lo ^ (bytes[at] ?? 0)) & 0xff;
      lo = ((lo >>> 8) | (hi << 24)) ^ (tl[index] ?? 0);
      hi = (hi >>> 8) ^ (th[index] ?? 0);
    }
    this.#low = lo >>> 0;
    this.#high = hi >>> 0;
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return this.#tables.widthBits === 64 ? bytes : bytes.subarray(4);
  }
}

function xor4(table: Uint32Array, a: number, b: number, c: number, d: number): number {
  return (table[a] ?? 0) ^ (table[b] ?? 0) ^ (table[c] ?? 0) ^ (table[d] ?? 0);
}

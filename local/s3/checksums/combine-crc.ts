/** A reflected CRC polynomial and its width, for arithmetic modulo that polynomial. */
export interface CrcField {
  widthBits: 32 | 64;
  reflectedPolynomial: bigint;
}

/**
 * Combines the CRCs of consecutive pieces into the CRC of the whole, without reading the bytes again
 * (zlib's crc32_combine: crc(AB) = crc(A)·x^(8·|B|) + crc(B) modulo the polynomial).
 * Parts are mostly of one size, so each size's power is computed once.
 */
export function combineCrcs(
  field: CrcField,
  pieces: readonly { digest: Buffer; bytes: number }[],
): Buffer {
  const powers = new Map<number, bigint>();
  let whole = 0n;
  for (const { digest, bytes } of pieces) {
    const power = powers.get(bytes) ?? powerOfX(field, BigInt(bytes) * 8n);
    powers.set(bytes, power);
    whole = multiply(field, power, whole) ^ BigInt(`0x${digest.toString('hex')}`);
  }
  return Buffer.from(whole.toString(16).padStart(field.widthBits / 4, '0'), 'hex');
}

/** a·b modulo the polynomial; in the reflected form the highest bit is the coefficient of x^0. */
function multiply({ widthBits, reflectedPolynomial }: CrcField, a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = BigInt(widthBits - 1); bit >= 0n; bit -= 1n) {
    if ((a >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ reflectedPolynomial : shifted >> 1n;
  }
  return product;
}

function powerOfX(field: CrcField, exponent: bigint): bigint {
  const one = 1n << BigInt(field.widthBits - 1);
  let square = one >> 1n;
  let power = one;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) power = multiply(field, power, square);
    square = multiply(field, square, square);
  }
  return power;
}

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ChecksumHash } from './checksum-hash.ts';
import type { CrcField } from './combine-crc.ts';
import { crcTables, SlicedCrc } from './sliced-crc.ts';

/** The algorithms this server computes; S3 also has XXHASH64, XXHASH3 and XXHASH128, refused with NotImplemented. */
export const checksumAlgorithms = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'SHA1',
  'SHA256',
  'SHA512',
  'MD5',
] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** FULL_OBJECT is over the object's bytes, COMPOSITE over the parts' checksums (value `base64-N`). */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

/** A stored checksum; the value is base64, with `-N` when it is composite. */
export interface Checksum {
  algorithm: ChecksumAlgorithm;
  type: ChecksumType;
  value: string;
}

const polynomials = {
  CRC32: { widthBits: 32, reflectedPolynomial: 0xedb88320n },
  CRC32C: { widthBits: 32, reflectedPolynomial: 0x82f63b78n },
  CRC64NVME: { widthBits: 64, reflectedPolynomial: 0x9a6c9329ac4bc9b5n },
} as const satisfies Partial<Record<ChecksumAlgorithm, CrcField>>;

const crc32cTables = crcTables(32, polynomials.CRC32C.reflectedPolynomial);
const crc64Tables = crcTables(64, polynomials.CRC64NVME.reflectedPolynomial);

const digestBytes: Record<ChecksumAlgorithm, number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
  SHA512: 64,
  MD5: 16,
};

/** A fresh running checksum. */
export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumHash {
  switch (algorithm) {
    case 'CRC32':
      return runningCrc32();
    case 'CRC32C':
      return new SlicedCrc(crc32cTables);
    case 'CRC64NVME':
      return new SlicedCrc(crc64Tables);
    case 'SHA1':
    case 'SHA256':
    case 'SHA512':
    case 'MD5':
      return createHash(algorithm.toLowerCase());
  }
}

/** The arithmetic for combining part checksums into one, for the algorithms that allow it. */
export function crcField(algorithm: ChecksumAlgorithm): CrcField | undefined {
  return isCrc(algorithm) ? polynomials[algorithm] : undefined;
}

/** The algorithm of that name, in any case; undefined if there is none here. */
export function parseChecksumAlgorithm(name: string): ChecksumAlgorithm | undefined {
  return checksumAlgorithms.find((algorithm) => algorithm === name.toUpperCase());
}

/** True if the text is standard base64 of exactly the algorithm's number of bytes. */
export function isChecksumValue(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === digestBytes[algorithm] && bytes.toString('base64') === value;
}

function isCrc(algorithm: ChecksumAlgorithm): algorithm is keyof typeof polynomials {
  return algorithm in polynomials;
}

function runningCrc32(): ChecksumHash {
  let value = 0;
  return {
    update: (bytes) => {
      value = crc32(bytes, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}

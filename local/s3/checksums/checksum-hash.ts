/** A checksum being computed over bytes as they pass. */
export interface ChecksumHash {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

import { invalidArgument } from '../s3-error.ts';

/** How the body is protected, as `x-amz-content-sha256` says. */
export type PayloadMode =
  | { kind: 'unsigned' }
  | { kind: 'sha256'; hex: string }
  | { kind: 'aws-chunked'; isSigned: boolean; hasTrailer: boolean };

const chunkedModes: Record<string, PayloadMode> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'aws-chunked', isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': {
    kind: 'aws-chunked',
    isSigned: true,
    hasTrailer: true,
  },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'aws-chunked', isSigned: false, hasTrailer: true },
};

/** SigV4A's ECDSA modes and anything else are InvalidArgument. */
export function parsePayloadMode(contentSha256: string): PayloadMode {
  if (contentSha256 === 'UNSIGNED-PAYLOAD') return { kind: 'unsigned' };
  if (/^[0-9a-f]{64}$/.test(contentSha256)) return { kind: 'sha256', hex: contentSha256 };
  const mode = chunkedModes[contentSha256];
  if (mode !== undefined) return mode;
  throw invalidArgument(
    'x-amz-content-sha256',
    contentSha256,
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
  );
}

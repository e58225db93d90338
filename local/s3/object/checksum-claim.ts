import {
  checksumAlgorithms,
  isChecksumValue,
  parseChecksumAlgorithm,
  type ChecksumAlgorithm,
} from '../checksums/checksum-algorithms.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';

/** A checksum the client gives for what it sends; it comes in a header or in the body's trailer. */
export interface ChecksumClaim {
  algorithm: ChecksumAlgorithm;
  value: { header: string } | { trailerName: string };
}

const notValues = new Set(['algorithm', 'mode', 'type']);

/** The one `x-amz-checksum-*` header or announced trailer of a request. */
export function readChecksumClaim(headers: RequestHeaders): ChecksumClaim | undefined {
  const trailers = (headers.get('x-amz-trailer') ?? '').split(',').map((name) => name.trim());
  const inHeaders = namesOf(headers.keys());
  const inTrailers = namesOf(trailers.map((name) => name.toLowerCase()));
  if (inHeaders.length + inTrailers.length > 1) {
    throw new S3Error('InvalidRequest', {
      message:
        'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    });
  }
  const [name] = [...inHeaders, ...inTrailers];
  const named = headers.get('x-amz-sdk-checksum-algorithm');
  if (name === undefined) {
    if (named === undefined) return undefined;
    throw new S3Error('InvalidRequest', {
      message:
        'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    });
  }
  const algorithm = requireAlgorithm(name.slice('x-amz-checksum-'.length));
  if (named !== undefined && named.toUpperCase() !== algorithm) {
    throw new S3Error('InvalidRequest', {
      message: 'Value for x-amz-sdk-checksum-algorithm header is invalid.',
    });
  }
  if (inTrailers.length > 0) return { algorithm, value: { trailerName: name } };
  const header = headers.get(name) ?? '';
  requireValue(algorithm, header, 'header');
  return { algorithm, value: { header } };
}

/** Compares a claim with what was computed; a mismatch is BadDigest. */
export function verifyChecksum(
  claim: ChecksumClaim,
  computedBase64: string,
  trailers: ReadonlyMap<string, string>,
): void {
  const { algorithm, value } = claim;
  const claimed = 'header' in value ? value.header : trailers.get(value.trailerName);
  if (claimed === undefined) throw new S3Error('MalformedTrailerError');
  requireValue(algorithm, claimed, 'trailing header');
  if (claimed !== computedBase64) throw checksumMismatch(algorithm);
}

export function checksumMismatch(algorithm: ChecksumAlgorithm): S3Error {
  return new S3Error('BadDigest', {
    message: `The ${algorithm} you specified did not match the calculated checksum.`,
  });
}

/** The algorithm of that name; S3's others are NotImplemented, unknown ones InvalidRequest. */
export function requireAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = parseChecksumAlgorithm(name);
  if (algorithm !== undefined) return algorithm;
  if (/^xxhash(?:64|3|128)$/i.test(name)) {
    throw new S3Error('NotImplemented', {
      message: `${name} checksums are not implemented here; use one of ${checksumAlgorithms.join(', ')}.`,
    });
  }
  throw new S3Error('InvalidRequest', {
    message: `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${checksumAlgorithms.join(', ')}]`,
  });
}

function namesOf(names: Iterable<string>): string[] {
  const prefix = 'x-amz-checksum-';
  return [...names].filter(
    (name) => name.startsWith(prefix) && !notValues.has(name.slice(prefix.length)),
  );
}

function requireValue(algorithm: ChecksumAlgorithm, value: string, place: string): void {
  if (isChecksumValue(algorithm, value)) return;
  throw new S3Error('InvalidRequest', {
    message: `Value for x-amz-checksum-${algorithm.toLowerCase()} ${place} is invalid.`,
  });
}

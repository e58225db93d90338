import { createHash } from 'node:crypto';
import { createChecksum } from '../checksums/checksum-algorithms.ts';
import type { ActionRequest } from '../http/action.ts';
import { readChecksumClaim, verifyChecksum } from '../object/checksum-claim.ts';
import { readContentMd5 } from '../object/receive-payload.ts';
import { S3Error } from '../s3-error.ts';
import { readXmlRoot, type XmlNode } from '../xml/read-xml.ts';

/** Enough for 10,000 parts with checksums, and for 1,000 keys of full length. */
const maxXmlBytes = 4 * 1024 * 1024;

interface DigestOptions {
  /** False where `x-amz-checksum-*` is about the object to be made, not about the request's body. */
  checksumIsOfBody: boolean;
}

/** Reads an XML body as text after checking every digest given for it. */
export async function readBodyText(
  { body, headers }: ActionRequest,
  { checksumIsOfBody }: DigestOptions = { checksumIsOfBody: true },
): Promise<string> {
  const claim = checksumIsOfBody ? readChecksumClaim(headers) : undefined;
  const md5 = readContentMd5(headers);
  if ((body.bytes ?? 0) > maxXmlBytes) throw new S3Error('MaxMessageLengthExceeded');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body.read()) {
    bytes += piece.length;
    if (bytes > maxXmlBytes) throw new S3Error('MaxMessageLengthExceeded');
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces);
  if (md5 !== undefined && !createHash('md5').update(whole).digest().equals(md5)) {
    throw new S3Error('BadDigest');
  }
  if (claim !== undefined) {
    const checksum = createChecksum(claim.algorithm);
    checksum.update(whole);
    verifyChecksum(claim, checksum.digest().toString('base64'), body.trailers);
  }
  return whole.toString('utf8');
}

/** Reads an XML body whose root element must have the given name. */
export async function readXmlBody(
  request: ActionRequest,
  rootName: string,
  options?: DigestOptions,
): Promise<XmlNode> {
  return readXmlRoot(await readBodyText(request, options), rootName);
}

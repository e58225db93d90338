import type { ActionRequest } from '../http/action.ts';
import { invalidArgument } from '../s3-error.ts';
import type { ListingRequest } from '../store/listings.ts';
import { element, textElement, type XmlElement } from '../xml/write-xml.ts';
import { parsePageSize } from './page-size.ts';

/** The parameters all listings share, and how their answer writes keys. */
export interface Listing extends ListingRequest {
  encodingType: 'url' | undefined;
  /** A key as the answer shows it: URL-encoded if `encoding-type=url` asked for that. */
  show: (key: string) => string;
}

/** Reads prefix, delimiter, encoding-type and the page size, whose parameter's name differs by listing. */
export function readListing({ bucket, query }: ActionRequest, pageSizeName: string): Listing {
  const encodingType = query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url') {
    throw invalidArgument(
      'encoding-type',
      encodingType,
      'Invalid Encoding Method specified in Request',
    );
  }
  return {
    bucket,
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxEntries: parsePageSize(pageSizeName, query.get(pageSizeName)),
    encodingType,
    show: (key) => (encodingType === 'url' ? encodeURIComponent(key).replaceAll('%2F', '/') : key),
  };
}

/** The elements all listings begin with. */
export function listingElements(listing: Listing): XmlElement[] {
  const { prefix, delimiter, encodingType, show } = listing;
  return [
    textElement('Prefix', show(prefix)),
    textElement('Delimiter', delimiter === '' ? undefined : show(delimiter)),
    textElement('EncodingType', encodingType),
  ].filter((found) => found !== undefined);
}

export function commonPrefixElements(
  { show }: Listing,
  commonPrefixes: readonly string[],
): XmlElement[] {
  return commonPrefixes.map((prefix) =>
    element('CommonPrefixes', textElement('Prefix', show(prefix))),
  );
}

import type { Static } from 'typebox';
import type { Sql } from '../store/connect.ts';
import { type SearchEntry, storeSearchEntry } from '../store/search-entries.ts';
import type { catalogue } from './catalogue.ts';
import type { EventHandler } from './handle-event.ts';
import type { ReceivedEvent } from './read-event.ts';

type DocumentData = Static<(typeof catalogue)['document.stored']['data']>;
/** All events about an order tell the same. */
type OrderData = Static<(typeof catalogue)['order.created']['data']>;

/** The event types that the rule brings to the projection's queue. */
export const projectedEvents = [
  'document.stored',
  'order.created',
  'stock.reserved',
  'stock.released',
  'payment.succeeded',
] as const;

/** Keeps documents and orders to be searched; a replay of the archive builds it anew. */
export const searchProjection = (sql: Sql): EventHandler => ({
  name: 'search-projection',
  onReplay: 'handle',
  handle: async (event) => {
    const entry = entryOf(event);
    if (entry === undefined) return 'nothing to search for';
    return (await storeSearchEntry(sql, entry)) ? 'stored' : 'a newer one is stored';
  },
});

/** Pure. */
export function entryOf(event: ReceivedEvent): SearchEntry | undefined {
  const { tenantId, aggregate, eventId } = event;
  const base = { tenantId, entityId: aggregate.id, version: aggregate.version, eventId };
  switch (event.type) {
    case 'document.stored': {
      // The catalogue's schema was checked when the event was read.
      const data = event.data as DocumentData;
      const words = [data.documentId, data.title, data.contentType, data.language];
      return { ...base, kind: 'document', words: joined(words), facts: data };
    }
    case 'order.created':
    case 'stock.reserved':
    case 'stock.released':
    case 'payment.succeeded': {
      const data = event.data as OrderData;
      const skus = data.items.map(({ sku }) => sku);
      const words = [data.orderId, data.status, data.paymentReference, ...skus];
      return { ...base, kind: 'order', words: joined(words), facts: data };
    }
    default:
      return undefined;
  }
}

const joined = (words: readonly (string | null)[]): string =>
  words.filter((word) => word !== null).join(' ');

import type { RequestBody } from '../body/open-body.ts';
import type { Store } from '../store/open-store.ts';
import type { RequestHeaders } from './request-headers.ts';

/** What an action works on; `clock.now()` is in epoch milliseconds. */
export interface ActionContext {
  store: Store;
  region: string;
  clock: { now(): number };
}

/** A verified request; bucket and key are '' where the route has none. */
export interface ActionRequest {
  bucket: string;
  key: string;
  query: ReadonlyMap<string, string>;
  headers: RequestHeaders;
  body: RequestBody;
}

export interface ActionResponse {
  status: number;
  headers?: Record<string, string>;
  /** A string is an XML document. */
  body?: string | AsyncIterable<Buffer>;
  /** Called once the body was sent or given up. */
  release?: () => Promise<void>;
}

/** One action of S3's API; refusals are thrown as S3Error. */
export type Action = (
  context: ActionContext,
  request: ActionRequest,
) => ActionResponse | Promise<ActionResponse>;

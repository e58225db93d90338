import type { Action } from '../http/action.ts';
import { resolveRead } from '../object/resolve-read.ts';

/** GetObject's answer without the bytes. */
export const headObject: Action = (context, request) => {
  const { status, headers } = resolveRead(context, request);
  return { status, headers };
};

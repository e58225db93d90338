import { Type } from 'typebox';
import { defineJobType } from '../job-type.ts';

export const inputSchema = Type.Object(
  {
    documentId: Type.String({ minLength: 1, maxLength: 200 }),
    /** Grows with each version of the document; an older one never overwrites a newer one. */
    version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'document-metadata',
  description:
    'Validates a document, extracts its metadata, stores them by version and tells a webhook.',
  inputSchema,
  payload: 'required',
  maxPayloadBytes: 2 * 1024 ** 3,
  timeoutSeconds: 1800,
  afterFailure: 'block',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'validate-payload', timeoutSeconds: 240, memoryMb: 512 },
    { name: 'extract-metadata', timeoutSeconds: 120, memoryMb: 1769 },
    { name: 'notify-indexed', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [{ provider: 'webhook', operation: 'document.indexed' }],
});

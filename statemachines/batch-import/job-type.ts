import { Type } from 'typebox';
import { defineJobType } from '../job-type.ts';

export const inputSchema = Type.Object(
  {
    /** Whose rows these are, within the tenant: a row replaces the one of the same key there. */
    dataset: Type.String({ minLength: 1, maxLength: 200 }),
    /** The column, or property, that holds a row's key. */
    keyField: Type.String({ minLength: 1, maxLength: 200 }),
    /** The share of rows that may fail without failing the job; 0 where it is not given. */
    toleratedFailurePercentage: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'batch-import',
  description: 'Imports the rows of a CSV or NDJSON payload into a dataset, each once in effect.',
  inputSchema,
  payload: 'required',
  maxPayloadBytes: 1024 ** 3,
  timeoutSeconds: 7200,
  afterFailure: 'block',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'validate-payload', timeoutSeconds: 240, memoryMb: 512 },
    { name: 'plan-import', timeoutSeconds: 240, memoryMb: 512 },
    { name: 'import-chunk', timeoutSeconds: 30, memoryMb: 512 },
    { name: 'collect-import', timeoutSeconds: 240, memoryMb: 512 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [],
});

import { Type } from 'typebox';
import { defineJobType } from '../../../../statemachines/job-type.ts';

/** Takes one shape of input and always a payload. */
export default defineJobType({
  type: 'strict',
  description: 'Ends as it began, if it may begin',
  inputSchema: Type.Object(
    {
      documentId: Type.String({ minLength: 1, maxLength: 100 }),
      version: Type.Integer({ minimum: 1 }),
    },
    { additionalProperties: false },
  ),
  payload: 'required',
  maxPayloadBytes: 1_000_000,
  timeoutSeconds: 60,
  afterFailure: 'block',
  tasks: [],
  effects: [],
});

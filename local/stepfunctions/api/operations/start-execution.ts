import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { beginExecution } from '../begin-execution.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  name: optional(field.name),
  input: optional(field.data),
  traceHeader: optional(field.traceHeader),
});

export const startExecution = operation(shape, async (api, request) => {
  const { arn, startedAt } = await beginExecution(api, request);
  return { executionArn: arn, startDate: toSeconds(startedAt) };
});

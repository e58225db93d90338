import { validateDefinition } from '../../definition/validate-definition.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { integer, oneOf, optional, structure } from '../shape.ts';

const shape = structure({
  definition: field.definition,
  type: optional(field.machineType),
  severity: optional(oneOf(['ERROR', 'WARNING'])),
  maxResults: optional(integer({ min: 0, max: 100 })),
});

export const validateStateMachineDefinition = operation(shape, (_api, request) => {
  const { definition, type = 'STANDARD', severity = 'ERROR', maxResults } = request;
  const { diagnostics: all } = validateDefinition(definition, { type });
  const wanted = all.filter((each) => severity === 'WARNING' || each.severity === 'ERROR');
  const limit = maxResults || 100;
  return {
    result: all.some((each) => each.severity === 'ERROR') ? 'FAIL' : 'OK',
    diagnostics: wanted.slice(0, limit),
    truncated: wanted.length > limit,
  };
});

import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Convert } from 'typebox/value';
import { schemaProblems } from '../jobs/schema-problems.ts';
import { Problem } from './problems.ts';

/** Fastify's validators from our schemas: all problems of a part at once, each with its JSON Pointer. */
export const compileValidators: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  return (value: unknown) => {
    if (validator.Check(value)) return { value };
    // Only what comes as text is converted; a body says itself what is a number.
    const converted = httpPart === 'body' ? value : Convert(schema, value);
    const errors = schemaProblems(validator, converted);
    if (errors.length === 0) return { value: converted };
    return { error: new Problem('invalid-request', { in: httpPart ?? 'body', errors }) };
  };
};

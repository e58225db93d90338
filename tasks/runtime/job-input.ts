import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Terminal } from '../../jobs/failure.ts';
import { schemaProblems } from '../../jobs/schema-problems.ts';

/**
 * A reader of jobs' inputs by their type's schema. The API checked them when they came; what is wrong now was
 * accepted by another version of the type, so the reader throws Terminal INPUT_INVALID.
 */
export function inputReader<Schema extends TSchema>(
  schema: Schema,
): (job: { readonly input: unknown }) => Static<Schema> {
  const check = Compile(schema);
  return ({ input }) => {
    const problems = schemaProblems(check, input, '/input');
    if (problems.length === 0) return input as Static<Schema>;
    const found = problems.map(({ pointer, message }) => `${pointer} ${message}`);
    throw new Terminal('INPUT_INVALID', found.join('; '));
  };
}

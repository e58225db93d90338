import { isJsonObject, isLongerThan, nestsTooDeep, type Json } from '../json.ts';
import { IntrinsicError } from './intrinsic-error.ts';

/** A call may name the same long value many times. */
const maxValueBytes = 16 * 1024 * 1024;

/** States.Format: each `{}` takes the next value; `\{`, `\}`, `\'` and `\\` are plain characters. */
export function format(template: Json | undefined, values: readonly Json[]): string {
  if (typeof template !== 'string') throw new IntrinsicError('The template must be a string');
  if (values.some(nestsTooDeep)) throw new IntrinsicError('An argument nests too deep');
  if (isLongerThan([...values], maxValueBytes))
    throw new IntrinsicError('The arguments are too large');
  const { literals } = splitTemplate(template);
  if (literals.length - 1 !== values.length) {
    throw new IntrinsicError(
      `The template has ${literals.length - 1} placeholders but ${values.length} arguments were given`,
    );
  }
  return literals
    .map((literal, index) =>
      index === 0 ? literal : javaText(values[index - 1] ?? null) + literal,
    )
    .join('');
}

/** The texts between the placeholders: one more than there are placeholders. */
function splitTemplate(template: string): { literals: string[] } {
  const literals = [''];
  const append = (text: string): void => {
    literals.push((literals.pop() ?? '') + text);
  };
  for (let position = 0; position < template.length; position += 1) {
    const character = template.charAt(position);
    const next = template.charAt(position + 1);
    if (character === '{' && next === '}') {
      literals.push('');
      position += 1;
    } else if (character === '\\' && /['{}\\]/.test(next)) {
      append(next);
      position += 1;
    } else {
      append(character);
    }
  }
  return { literals };
}

/** How AWS's Java writes a value into a text: objects as `{a=1, b=[]}`, as its recorded outputs show. */
function javaText(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(javaText).join(', ')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, each]) => `${key}=${javaText(each)}`);
    return `{${members.join(', ')}}`;
  }
  return String(value);
}

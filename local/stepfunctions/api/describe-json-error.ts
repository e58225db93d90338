import { isTooDeep, MAX_JSON_DEPTH } from '../execution/json-text.ts';

const TOO_DEEP = `Document nesting depth exceeds the maximum allowed (${MAX_JSON_DEPTH})`;

/** Why a text is no JSON, in the words of AWS's parser as far as they were seen; undefined if it is. */
export function describeJsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return isTooDeep(text) ? TOO_DEEP : undefined;
  } catch (error) {
    if (text.trim() === '') return 'No content to map due to end-of-input';
    const word = /^\s*([A-Za-z_$][\w$]*)/.exec(text)?.[1];
    if (word !== undefined && !['true', 'false', 'null'].includes(word)) {
      return `Unrecognized token '${word}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')`;
    }
    return error instanceof Error ? error.message : String(error);
  }
}

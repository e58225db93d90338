import { ApiError } from './api-error.ts';

/**
 * Characters that no name may have: white space, brackets, wildcards, special characters, control
 * characters, U+FFFE, U+FFFF, surrogates and U+10FFFF.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
 */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001F\u007F-\u009F\uFFFE\uFFFF\p{Cs}\u{10FFFF}]/u;

export function checkName(name: string): string {
  if (FORBIDDEN.test(name)) throw new ApiError('InvalidName', `Invalid Name: '${name}'`);
  return name;
}

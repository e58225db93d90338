import { parseArn, type ParsedArn } from '../arn.ts';
import { ApiError } from './api-error.ts';

/** Throws InvalidArn, in AWS's words, for a text that is no ARN of one of the kinds. */
export function checkArn(arn: string, ...kinds: string[]): ParsedArn {
  const parsed = parseArn(arn);
  if (!parsed) {
    const problem = arn.startsWith('arn:') ? 'Invalid ARN' : 'Invalid ARN prefix';
    throw new ApiError('InvalidArn', `Invalid Arn: '${problem}: ${arn}'`);
  }
  if (!kinds.includes(parsed.kind)) {
    throw new ApiError(
      'InvalidArn',
      `Invalid Arn: 'Resource type not valid in this context: ${parsed.kind}'`,
    );
  }
  return parsed;
}

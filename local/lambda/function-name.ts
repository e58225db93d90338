const ACCOUNT = '000000000000';

/**
 * The plain name in what a caller may write for a function: a name, a partial or a full ARN, each with or without a
 * version or alias behind it. Undefined when it is none of these.
 *
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html, FunctionName
 */
export function plainFunctionName(text: string): string | undefined {
  const shape =
    /^(?:arn:aws[\w-]*:lambda:[\w-]+:)?(?:\d{12}:)?(?:function:)?(?<name>[\w-]+)(?::(?:\$LATEST|[\w-]+))?$/;
  return shape.exec(text)?.groups?.['name'];
}

export const functionArn = (region: string, name: string): string =>
  `arn:aws:lambda:${region}:${ACCOUNT}:function:${name}`;

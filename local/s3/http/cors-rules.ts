import { S3Error } from '../s3-error.ts';
import { readXmlRoot, type XmlNode } from '../xml/read-xml.ts';

export interface CorsRule {
  origins: string[];
  methods: string[];
  headers: string[];
  exposed: string[];
  maxAgeSeconds: string | undefined;
}

const maxRules = 100;
const methodNames = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']);

/** The rules of a CORSConfiguration document; MalformedXML or InvalidRequest where S3 says so. */
export function readCorsRules(document: string): CorsRule[] {
  const rules = readXmlRoot(document, 'CORSConfiguration').children.map(readRule);
  if (rules.length === 0 || rules.length > maxRules) throw new S3Error('MalformedXML');
  return rules;
}

function readRule(node: XmlNode): CorsRule {
  const texts = (name: string): string[] =>
    node.children.filter((child) => child.name === name).map(({ text }) => text);
  const rule = {
    origins: texts('AllowedOrigin'),
    methods: texts('AllowedMethod'),
    headers: texts('AllowedHeader'),
    exposed: texts('ExposeHeader'),
    maxAgeSeconds: texts('MaxAgeSeconds')[0],
  };
  if (node.name !== 'CORSRule' || rule.origins.length === 0 || rule.methods.length === 0) {
    throw new S3Error('MalformedXML');
  }
  const unknown = rule.methods.find((method) => !methodNames.has(method));
  if (unknown !== undefined) {
    throw new S3Error('InvalidRequest', {
      message: `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`,
    });
  }
  const star = [...rule.origins, ...rule.headers].find((text) => text.split('*').length > 2);
  if (star !== undefined) {
    throw new S3Error('InvalidRequest', {
      message: `AllowedOrigin "${star}" can not have more than one wildcard.`,
    });
  }
  return rule;
}

/** What a page wants to do: its origin, the method, and for a preflight the headers it will send. */
export interface CorsWish {
  origin: string;
  method: string;
  headers: string[];
}

/**
 * Pure: the answer's headers by the first rule that allows the wish, or undefined
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html).
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  wish: CorsWish,
): Record<string, string> | undefined {
  const rule = rules.find(
    ({ origins, methods, headers }) =>
      origins.some((pattern) => matches(pattern, wish.origin)) &&
      methods.includes(wish.method) &&
      wish.headers.every((name) =>
        headers.some((pattern) => matches(pattern.toLowerCase(), name.toLowerCase())),
      ),
  );
  if (rule === undefined) return undefined;
  const isForAll = rule.origins.includes('*');
  return {
    'access-control-allow-origin': isForAll ? '*' : wish.origin,
    ...(isForAll ? {} : { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-methods': rule.methods.join(', '),
    ...(wish.headers.length === 0
      ? {}
      : { 'access-control-allow-headers': wish.headers.join(', ').toLowerCase() }),
    ...(rule.exposed.length === 0
      ? {}
      : { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAgeSeconds === undefined ? {} : { 'access-control-max-age': rule.maxAgeSeconds }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

/** At most one wildcard, anywhere. */
function matches(pattern: string, text: string): boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === text;
  return (
    text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
  );
}

/** An element to be written; children that are undefined are left out. */
export interface XmlElement {
  name: string;
  content: string | XmlElement[];
}

type Child = XmlElement | XmlElement[] | undefined;

/** An element holding text; undefined text means no element at all. */
export function textElement(
  name: string,
  text: string | number | boolean | undefined,
): XmlElement | undefined {
  return text === undefined ? undefined : { name, content: String(text) };
}

/** An element holding other elements, in order. */
export function element(name: string, ...children: Child[]): XmlElement {
  return { name, content: children.flat().filter((child) => child !== undefined) };
}

/** A whole document in S3's namespace; errors are written without one, as S3 does. */
export function xmlDocument(root: XmlElement, options = { namespace: true }): string {
  const namespace = options.namespace ? ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, namespace)}`;
}

function write({ name, content }: XmlElement, attributes = ''): string {
  const inner =
    typeof content === 'string'
      ? escapeText(content)
      : content.map((child) => write(child)).join('');
  return `<${name}${attributes}>${inner}</${name}>`;
}

/** Control characters, which keys may hold, are written as references: S3 does so although XML 1.0 forbids most. */
function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(
      // oxlint-disable-next-line no-control-regex
      /[\u0000-\u001f\u007f]/g,
      (character) => `&#x${character.charCodeAt(0).toString(16)};`,
    );
}

import { S3Error } from '../s3-error.ts';

/** An element as read: its local name, its own text and its child elements. */
export interface XmlNode {
  name: string;
  text: string;
  children: XmlNode[];
}

const maxDepth = 16;
const token = /<\?xml[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)([^<>]*?)(\/?)>|[^<]+/y;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the small XML dialect of S3 request bodies: elements, text, comments, entities.
 * DOCTYPE, CDATA and processing instructions are MalformedXML, so nothing can be expanded or fetched.
 */
export function readXml(source: string): XmlNode {
  const root: XmlNode = { name: '', text: '', children: [] };
  const open = [root];
  token.lastIndex = source.startsWith('\uFEFF') ? 1 : 0;
  while (token.lastIndex < source.length) {
    const match = token.exec(source);
    if (match === null) throw new S3Error('MalformedXML');
    const [all, closing, name, , selfClosing] = match;
    const parent = open.at(-1);
    if (parent === undefined) throw new S3Error('MalformedXML');
    if (name === undefined) {
      if (!all.startsWith('<')) parent.text += decodeEntities(all);
    } else if (closing === '/') {
      if (parent === root || parent.name !== localName(name)) throw new S3Error('MalformedXML');
      open.pop();
    } else {
      const node: XmlNode = { name: localName(name), text: '', children: [] };
      parent.children.push(node);
      if (selfClosing !== '/') open.push(node);
      if (open.length > maxDepth) throw new S3Error('MalformedXML');
    }
  }
  const [first, second] = root.children;
  const isWhole = open.length === 1 && second === undefined && root.text.trim() === '';
  if (first === undefined || !isWhole) throw new S3Error('MalformedXML');
  return first;
}

/** Reads a document whose root must have the given name. */
export function readXmlRoot(source: string, rootName: string): XmlNode {
  const root = readXml(source);
  if (root.name !== rootName) throw new S3Error('MalformedXML');
  return root;
}

/** The text of the first child element of that name. */
export function childText(node: XmlNode, name: string): string | undefined {
  return node.children.find((child) => child.name === name)?.text;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&([^;&\s]{0,10});?/g, (whole, name: string) => {
    const plain = whole.endsWith(';') ? entities[name] : undefined;
    if (plain !== undefined) return plain;
    const code = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const value = code?.[1] === undefined ? Number(code?.[2]) : Number.parseInt(code[1], 16);
    const isCharacter = value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff);
    if (!whole.endsWith(';') || !isCharacter) throw new S3Error('MalformedXML');
    return String.fromCodePoint(value);
  });
}

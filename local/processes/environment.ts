/** A variable that the supervisor sets for its children; throws, naming it, when it is missing. */
export function readText(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** A port number from a variable; 0 means any free one. */
export function readPort(name: string): number {
  return parsePort(readText(name), name);
}

/** Throws, saying what is wrong with it, when the text is not a port number. */
export function parsePort(text: string, name: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`${name}=${text} is not a port: a whole number from 0 to 65535 is wanted`);
  }
  return port;
}

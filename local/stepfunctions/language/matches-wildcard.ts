/**
 * StringMatches: `*` stands for any characters, `\*` for itself and `\\` for a backslash. The two-pointer walk
 * goes back to the last `*` only, so no pattern takes longer than pattern times text.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const tokens = tokenize(pattern);
  let at = 0;
  let token = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    if (tokens[token] === anything) {
      star = token;
      starAt = at;
      token += 1;
    } else if (tokens[token] === text[at]) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      starAt += 1;
      at = starAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === anything) token += 1;
  return token === tokens.length;
}

const anything = Symbol('*');

function tokenize(pattern: string): (string | typeof anything)[] {
  const tokens: (string | typeof anything)[] = [];
  for (let position = 0; position < pattern.length; position += 1) {
    const character = pattern.charAt(position);
    const next = pattern.charAt(position + 1);
    if (character === '\\' && (next === '*' || next === '\\')) {
      tokens.push(next);
      position += 1;
    } else {
      tokens.push(character === '*' ? anything : character);
    }
  }
  return tokens;
}

/**
 * Compiles EventBridge's wildcard: `*` stands for any characters, `\*` and `\\` for themselves.
 *
 * `refuse` is called with the reason when EventBridge would not take the pattern. Matching takes time proportional to
 * text × pieces, never exponential.
 */
export function compileWildcard(
  pattern: string,
  refuse: (reason: string) => never,
): (text: string) => boolean {
  const pieces = splitAtStars(pattern, refuse);
  const [head = '', ...rest] = pieces;
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === head;
  return (text) => {
    if (!text.startsWith(head)) return false;
    let position = head.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, position);
      if (found === -1) return false;
      position = found + piece.length;
    }
    return text.length - tail.length >= position && text.endsWith(tail);
  };
}

function splitAtStars(pattern: string, refuse: (reason: string) => never): string[] {
  const pieces = [''];
  const append = (text: string): void => {
    pieces.push(`${pieces.pop() ?? ''}${text}`);
  };
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') {
      index += 1;
      const escaped = pattern.charAt(index);
      if (escaped !== '*' && escaped !== '\\')
        refuse(`Invalid escape character at pos ${index - 1}`);
      append(escaped);
    } else if (character === '*') {
      if (pattern.charAt(index + 1) === '*') {
        refuse(`Consecutive wildcard characters at pos ${index}`);
      }
      pieces.push('');
    } else append(character);
  }
  return pieces;
}

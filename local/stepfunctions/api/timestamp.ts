/** Times on the wire are epoch seconds with a fraction (AWS JSON 1.0). */
export function toSeconds(ms: number): number {
  return ms / 1000;
}

/** `{[name]: value}`, or nothing where there is no value; `null` is a value. */
export function optional<const N extends string, V>(
  name: N,
  value: V | undefined,
): { [K in N]?: V } {
  if (value === undefined) return {};
  return { [name]: value } as { [K in N]: V };
}

/** The 18 intrinsic functions with the least and most arguments each takes. AWS plans no new ones. */
export const intrinsicArity = {
  Format: [1, Infinity],
  StringToJson: [1, 1],
  JsonToString: [1, 1],
  Array: [0, Infinity],
  ArrayPartition: [2, 2],
  ArrayContains: [2, 2],
  ArrayRange: [3, 3],
  ArrayGetItem: [2, 2],
  ArrayLength: [1, 1],
  ArrayUnique: [1, 1],
  Base64Encode: [1, 1],
  Base64Decode: [1, 1],
  Hash: [2, 2],
  JsonMerge: [3, 3],
  MathRandom: [2, 3],
  MathAdd: [2, 2],
  StringSplit: [2, 2],
  UUID: [0, 0],
} as const satisfies Record<string, readonly [least: number, most: number]>;

export type IntrinsicName = keyof typeof intrinsicArity;

export function isIntrinsicName(name: string): name is IntrinsicName {
  return Object.hasOwn(intrinsicArity, name);
}

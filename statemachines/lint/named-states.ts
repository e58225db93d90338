/** An ASL object, as read from a file that anybody may have written. */
export type AslObject = Readonly<Record<string, unknown>>;

/** A state with the states that stand beside it, in the machine or in one branch of it. */
export type NamedState = {
  readonly name: string;
  readonly state: AslObject;
  readonly siblings: AslObject;
  /** Not in a Map or Parallel. */
  readonly isTopLevel: boolean;
};

export const objectIn = (value: unknown, key: string): AslObject => asObject(memberOf(value, key));

export const asObject = (value: unknown): AslObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AslObject) : {};

export const memberOf = (value: unknown, key: string): unknown =>
  Object.hasOwn(asObject(value), key) ? asObject(value)[key] : undefined;

export const textIn = (value: unknown, key: string): string | undefined => {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
};

export const numberIn = (value: unknown, key: string): number | undefined => {
  const member = memberOf(value, key);
  return typeof member === 'number' ? member : undefined;
};

export const objectsIn = (value: unknown, key: string): AslObject[] => {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.map(asObject) : [];
};

export const textsIn = (value: unknown, key: string): string[] => {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member.filter((text) => typeof text === 'string') : [];
};

/** All states of a definition, those in Map and Parallel too. */
export function namedStates(machine: AslObject, isTopLevel = true): NamedState[] {
  const siblings = objectIn(machine, 'States');
  return Object.entries(siblings).flatMap(([name, value]) => {
    const state = asObject(value);
    const inner = [
      ...objectsIn(state, 'Branches'),
      objectIn(state, 'ItemProcessor'),
      objectIn(state, 'Iterator'),
    ];
    const here = { name, state, siblings, isTopLevel };
    return [here, ...inner.flatMap((machineInside) => namedStates(machineInside, false))];
  });
}

/** The states that may come next. */
export const successorsOf = (state: AslObject): string[] =>
  [
    textIn(state, 'Next'),
    textIn(state, 'Default'),
    ...objectsIn(state, 'Choices').map((choice) => textIn(choice, 'Next')),
    ...objectsIn(state, 'Catch').map((catcher) => textIn(catcher, 'Next')),
  ].filter((name) => name !== undefined);

/** What a Task passes to its integration: `Parameters` in JSONPath, `Arguments` in JSONata. */
export const argumentsOf = (state: AslObject): AslObject =>
  memberOf(state, 'Arguments') === undefined
    ? objectIn(state, 'Parameters')
    : objectIn(state, 'Arguments');

export const isTask = ({ state }: NamedState): boolean => memberOf(state, 'Type') === 'Task';

/** The task's function as the definition writes it, `${ValidatePayload}`. */
export const functionOf = ({ state }: NamedState): string | undefined =>
  textIn(argumentsOf(state), 'FunctionName');

export const waitsForCallback = (state: AslObject): boolean =>
  textIn(state, 'Resource')?.endsWith('.waitForTaskToken') === true;

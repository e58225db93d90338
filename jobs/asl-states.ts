import { jsonObject } from './json-object.ts';

/** A state of a definition and where it may go on to, in its own level (machine, branch or item processor). */
export type AslState = {
  readonly name: string;
  readonly type: string;
  readonly comment: string | null;
  /** The Parallel or Map state that it stands in; null at the top. */
  readonly parent: string | null;
  /** `Next`, `Default`, and the `Next` of each choice and catcher. */
  readonly next: readonly string[];
};

/**
 * Every state of a definition, at whatever depth, in the order in which it is written. State names are unique in the
 * whole machine (https://docs.aws.amazon.com/step-functions/latest/dg/statemachine-structure.html).
 * What is not a definition has no states.
 */
export function statesOf(definition: string): AslState[] {
  return levelStates(jsonObject(definition), null);
}

function levelStates(level: unknown, parent: string | null): AslState[] {
  const states = memberOf(level, 'States');
  return Object.entries(objectOf(states)).flatMap(([name, state]) => [
    {
      name,
      type: textOf(memberOf(state, 'Type')) ?? 'Unknown',
      comment: textOf(memberOf(state, 'Comment')),
      parent,
      next: nextOf(state),
    },
    ...innerLevels(state).flatMap((inner) => levelStates(inner, name)),
  ]);
}

const innerLevels = (state: unknown): unknown[] =>
  [
    ...listOf(memberOf(state, 'Branches')),
    memberOf(state, 'ItemProcessor'),
    memberOf(state, 'Iterator'),
  ].filter((level) => level !== undefined);

function nextOf(state: unknown): string[] {
  const transitions = [
    state,
    ...listOf(memberOf(state, 'Choices')),
    ...listOf(memberOf(state, 'Catch')),
  ];
  const names = [...transitions.map((from) => memberOf(from, 'Next')), memberOf(state, 'Default')];
  return [...new Set(names.map(textOf).filter((name) => name !== null))];
}

/** The states that may still be entered after those of `from`, without them, in the order of the definition. */
export function reachableFrom(states: readonly AslState[], from: ReadonlySet<string>): AslState[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const reached = new Set(from);
  const open = [...from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const following = [
      ...(byName.get(name)?.next ?? []),
      // Whatever is entered as a whole is entered with all its states.
      ...(from.has(name)
        ? []
        : states.filter(({ parent }) => parent === name).map((state) => state.name)),
    ];
    for (const next of following) {
      if (!reached.has(next)) open.push(next);
      reached.add(next);
    }
  }
  return states.filter(({ name }) => reached.has(name) && !from.has(name));
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const memberOf = (value: unknown, name: string): unknown => objectOf(value)[name];
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

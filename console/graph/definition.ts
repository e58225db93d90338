export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How one state leads to another. */
export type Transition = {
  readonly to: string;
  readonly kind: 'next' | 'choice' | 'default' | 'catch';
};

export type GraphState = {
  readonly name: string;
  readonly type: string;
  readonly comment: string | undefined;
  readonly isEnd: boolean;
  readonly transitions: readonly Transition[];
  /** The branches of a Parallel, or the one item processor of a Map. */
  readonly levels: readonly Level[];
  readonly isDistributed: boolean;
  /** As the definition has it. */
  readonly raw: Readonly<Record<string, unknown>>;
};

/** A machine, a branch or an item processor. */
export type Level = { readonly startAt: string; readonly states: readonly GraphState[] };

/** Pure: the states of an ASL definition with their transitions; undefined where the text is none. */
export function readDefinition(text: string): Level | undefined {
  try {
    return levelOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function levelOf(value: unknown): Level | undefined {
  if (!isRecord(value) || !isRecord(value['States'])) return undefined;
  const states = Object.entries(value['States']).map(([name, state]) => stateOf(name, state));
  return { startAt: text(value['StartAt']) ?? '', states };
}

function stateOf(name: string, state: unknown): GraphState {
  const raw = isRecord(state) ? state : {};
  const inner = [...list(raw['Branches']), raw['ItemProcessor'], raw['Iterator']];
  return {
    name,
    type: text(raw['Type']) ?? 'Unknown',
    comment: text(raw['Comment']),
    isEnd: raw['End'] === true || raw['Type'] === 'Succeed' || raw['Type'] === 'Fail',
    transitions: [
      ...to(raw['Next'], 'next'),
      ...list(raw['Choices']).flatMap((choice) => to(isRecord(choice) && choice['Next'], 'choice')),
      ...to(raw['Default'], 'default'),
      ...list(raw['Catch']).flatMap((catcher) => to(isRecord(catcher) && catcher['Next'], 'catch')),
    ],
    levels: inner.flatMap((level) => levelOf(level) ?? []),
    isDistributed: modeOf(raw['ItemProcessor']) === 'DISTRIBUTED',
    raw,
  };
}

function modeOf(processor: unknown): unknown {
  const config = isRecord(processor) ? processor['ProcessorConfig'] : undefined;
  return isRecord(config) ? config['Mode'] : undefined;
}

const to = (name: unknown, kind: Transition['kind']): Transition[] =>
  typeof name === 'string' ? [{ to: name, kind }] : [];
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Every state at whatever depth, by its name: names are unique in the whole machine. */
export function statesByName(level: Level): ReadonlyMap<string, GraphState> {
  const all = new Map<string, GraphState>();
  const add = ({ states }: Level): void => {
    for (const state of states) {
      all.set(state.name, state);
      state.levels.forEach(add);
    }
  };
  add(level);
  return all;
}

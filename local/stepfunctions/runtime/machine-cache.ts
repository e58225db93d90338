import type { MapState, StateGraph, StateMachine } from '../definition/ast.ts';
import { parseDefinition } from '../definition/parse-definition.ts';
import { labelOf, ownerArn } from '../execution/map-run-arn.ts';
import type { MachineStore } from '../store/state-machines.ts';

const MAX_CACHED = 500;

export type MachineCache = ReturnType<typeof createMachineCache>;

/** Parsed definitions by revision; a revision never changes. */
export function createMachineCache(machines: MachineStore) {
  const parsed = new Map<string, StateMachine>();

  function remember(key: string, make: () => StateMachine): StateMachine {
    let machine = parsed.get(key);
    if (!machine) {
      machine = make();
      if (parsed.size >= MAX_CACHED) {
        const [oldest] = parsed.keys();
        if (oldest !== undefined) parsed.delete(oldest);
      }
      parsed.set(key, machine);
    }
    return machine;
  }

  function get(revision: number): StateMachine {
    return remember(String(revision), () =>
      parseDefinition(machines.revision(revision).definition),
    );
  }

  return {
    get,
    /** What an execution under this ARN runs: the machine, or (`…/LABEL`) a Map's item processor. */
    ofArn(revision: number, machineArn: string): StateMachine {
      if (ownerArn(machineArn) === machineArn) return get(revision);
      return remember(`${revision} ${machineArn}`, () => {
        const machine = get(revision);
        const label = machineArn.slice(ownerArn(machineArn).length + 1);
        for (const state of mapStates(machine)) {
          if (labelOf(state, machineArn) === label) return processorOf(machine, state);
        }
        throw new Error(`revision ${revision} has no Map state for ${machineArn}`);
      });
    },
  };
}

function processorOf({ queryLanguage, source }: StateMachine, { itemProcessor }: MapState) {
  return { ...itemProcessor, queryLanguage, source };
}

function* mapStates(graph: StateGraph): Generator<MapState> {
  for (const state of graph.states.values()) {
    if (state.type === 'Map') {
      yield state;
      yield* mapStates(state.itemProcessor);
    } else if (state.type === 'Parallel') {
      for (const branch of state.branches) yield* mapStates(branch);
    }
  }
}

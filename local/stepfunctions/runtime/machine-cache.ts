import type { StateMachine } from '../definition/ast.ts';
import { parseDefinition } from '../definition/parse-definition.ts';
import type { MachineStore } from '../store/state-machines.ts';

const MAX_CACHED = 500;

export type MachineCache = ReturnType<typeof createMachineCache>;

/** Parsed definitions by revision; a revision never changes. */
export function createMachineCache(machines: MachineStore) {
  const parsed = new Map<number, StateMachine>();
  return {
    get(revision: number): StateMachine {
      let machine = parsed.get(revision);
      if (!machine) {
        machine = parseDefinition(machines.revision(revision).definition);
        if (parsed.size >= MAX_CACHED) {
          const [oldest] = parsed.keys();
          if (oldest !== undefined) parsed.delete(oldest);
        }
        parsed.set(revision, machine);
      }
      return machine;
    },
  };
}

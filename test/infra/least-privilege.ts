import { type Need } from './needed.ts';
import { actionsOf, isAllowed, type Policy, type Question } from './policies.ts';

type Policies = ReadonlyMap<string, readonly Policy[]>;

/** An action that a component's role has. */
export type Permission = { readonly component: string; readonly action: string };

/** Of the needs, those that the component's role refuses: needed − allowed. Throws where a component has no role. */
export async function refusedNeeds(policies: Policies, needs: readonly Need[]): Promise<Need[]> {
  const refused: Need[] = [];
  for (const need of needs) {
    const own = policies.get(need.component);
    if (own === undefined) {
      throw new Error(`no role of ${need.component}: ${[...policies.keys()].join()}`);
    }
    if (!(await isAllowed(own, { ...need, context: contextOf(need) }))) refused.push(need);
  }
  return refused;
}

/** Executions are started by the alias `live`. */
const contextOf = ({ action }: Need): NonNullable<Question['context']> =>
  action === 'states:StartExecution' ? { 'states:StateMachineQualifier': ['live'] } : {};

/** What roles of processes and functions may do and was not needed: allowed − needed. */
export function permissionsBeyond(policies: Policies, needs: readonly Need[]): Permission[] {
  const needed = new Set(needs.map(({ component, action }) => `${component} ${action}`));
  return permissionsOf(policies).filter(
    ({ component, action }) => !needed.has(`${component} ${action}`),
  );
}

/** State machines' roles are asked about apart: what they invoke is Step Functions' own doing. */
export const permissionsOf = (policies: Policies): Permission[] =>
  [...policies]
    .filter(([component]) => !component.startsWith('machine '))
    .flatMap(([component, its]) => [...actionsOf(its)].map((action) => ({ component, action })));

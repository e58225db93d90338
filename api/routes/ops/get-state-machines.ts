import { type Static, Type } from 'typebox';
import { effectLogPace } from '../../../jobs/effect-log.ts';
import { lintDefinition } from '../../../statemachines/lint-definition.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses } from '../../schemas.ts';

const stateMachine = Type.Object({
  type: Type.String(),
  findings: Type.Array(
    Type.Object({
      rule: Type.String(),
      state: orNull(Type.String({ description: 'null: the machine as a whole' })),
      what: Type.String(),
      why: Type.String(),
      mend: Type.String(),
    }),
    { description: 'what goes against the rules that keep executions redrivable; none: in order' },
  ),
});

/** GET /ops/state-machines: what the linter says of each definition; the definitions are in GET /job-types. */
export function getStateMachines(api: Api, { registry }: RouteDeps): void {
  // They do not change while the process runs.
  let found: readonly Static<typeof stateMachine>[] | undefined;
  api.get(
    '/ops/state-machines',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'listStateMachines',
        tags: ['operations'],
        summary: 'See what the linter says of each job type’s state machine',
        response: {
          200: Type.Object({ stateMachines: Type.Array(stateMachine) }),
          ...problemResponses,
        },
      },
    },
    async () => {
      found ??= [...registry.values()].map((jobType) => ({
        type: jobType.type,
        findings: lintDefinition(jobType, effectLogPace).map(({ state = null, ...finding }) => ({
          ...finding,
          state,
        })),
      }));
      return { stateMachines: [...found] };
    },
  );
}

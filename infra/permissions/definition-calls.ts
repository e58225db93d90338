/** What a definition has Step Functions do outside of itself. */
export type DefinitionCalls = {
  /** It runs its items as executions of its own. */
  readonly distributedMap: boolean;
  /** It reads items from S3, or writes results there. */
  readonly readsItems: boolean;
  readonly writesResults: boolean;
};

/** Resources that need the permission to invoke the task's function, which every definition has. */
const lambdaResources = new Set([
  'arn:aws:states:::lambda:invoke',
  'arn:aws:states:::lambda:invoke.waitForTaskToken',
]);

/**
 * Walks a definition for what its role must be allowed to do.
 * Throws for an integration that infra/ grants nothing for: without its permission every execution would fail.
 */
export function callsOf(definition: string, name: string): DefinitionCalls {
  const calls = { distributedMap: false, readsItems: false, writesResults: false };
  const root: unknown = JSON.parse(definition);
  for (const state of statesIn(root)) {
    const resource = 'Resource' in state ? String(state.Resource) : '';
    if (state.Type === 'Task' && !lambdaResources.has(resource)) {
      throw new Error(
        `${name}: the role of its state machine has no permission for ${resource}; add it to infra/permissions/`,
      );
    }
    calls.distributedMap ||= modeOf(state) === 'DISTRIBUTED';
    calls.readsItems ||= 'ItemReader' in state;
    calls.writesResults ||= 'ResultWriter' in state;
  }
  return calls;
}

/** Every object with a `Type`, at whatever depth. */
function* statesIn(value: unknown): Generator<object & Record<'Type', unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if ('Type' in value && typeof value.Type === 'string') yield value;
  for (const member of Object.values(value)) yield* statesIn(member);
}

function modeOf(state: object): unknown {
  const processor: unknown = Reflect.get(state, 'ItemProcessor');
  if (typeof processor !== 'object' || processor === null) return undefined;
  const config: unknown = Reflect.get(processor, 'ProcessorConfig');
  return typeof config === 'object' && config !== null ? Reflect.get(config, 'Mode') : undefined;
}

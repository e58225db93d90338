import type { Fixture } from './engine-fixture.ts';

type Counts = Readonly<Record<string, number>>;

export type DescribedMapRun = {
  readonly mapRunArn: string;
  readonly status: string;
  readonly redriveCount: number;
  readonly executionCounts: Counts;
  readonly itemCounts: Counts;
};

export type Child = {
  readonly executionArn: string;
  readonly status: string;
  readonly redriveCount: number;
};

/** A machine that is one distributed Map whose processor begins with the first of the states. */
export function distributedMap(
  states: Readonly<Record<string, object>>,
  fields: object = {},
  executionType: 'STANDARD' | 'EXPRESS' = 'STANDARD',
): { StartAt: string; States: Record<string, object> } {
  return {
    StartAt: 'Map',
    States: {
      Map: {
        Type: 'Map',
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: executionType },
          StartAt: Object.keys(states)[0],
          States: states,
        },
        End: true,
        ...fields,
      },
    },
  };
}

/** The newest Map Run of an execution, with its children (up to 1,000). */
export async function mapRunOf(
  fixture: Pick<Fixture, 'call'>,
  executionArn: string,
): Promise<{ run: { mapRunArn: string }; described: DescribedMapRun; children: Child[] }> {
  const { mapRuns } = await fixture.call<{ mapRuns: { mapRunArn: string }[] }>('ListMapRuns', {
    executionArn,
  });
  const [run] = mapRuns;
  if (!run) throw new Error(`${executionArn} has no Map Run`);
  const { mapRunArn } = run;
  const described = await fixture.call<DescribedMapRun>('DescribeMapRun', { mapRunArn });
  const { executions } = await fixture.call<{ executions: Child[] }>('ListExecutions', {
    mapRunArn,
    maxResults: 1_000,
  });
  return { run, described, children: executions };
}

/** 0 also while there is no Map Run yet. */
export async function runningChildren(
  fixture: Pick<Fixture, 'call'>,
  executionArn: string,
): Promise<number> {
  const { mapRuns } = await fixture.call<{ mapRuns: object[] }>('ListMapRuns', { executionArn });
  if (mapRuns.length === 0) return 0;
  const { described } = await mapRunOf(fixture, executionArn);
  return described.executionCounts['running'] ?? 0;
}

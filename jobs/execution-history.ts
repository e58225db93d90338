import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';

/** GetExecutionHistory's largest page. */
const pageSize = 1_000;
/** AWS refills GetExecutionHistory at 20 calls a second: an answer for one person spends at most five. */
const maxPages = 5;

export type History = {
  /** Oldest first. */
  readonly events: readonly HistoryEvent[];
  /** There are more events than were read. */
  readonly truncated: boolean;
};

/** What DescribeExecution says, or undefined where there is no such execution (any more: AWS keeps them 90 days). */
export async function describeExecution(
  sfn: SFNClient,
  executionArn: string,
): Promise<DescribeExecutionCommandOutput | undefined> {
  return await orUndefined('ExecutionDoesNotExist', () =>
    sfn.send(new DescribeExecutionCommand({ executionArn })),
  );
}

/** The history from its beginning, up to 5,000 events, without the data of the states. */
export async function readHistory(sfn: SFNClient, executionArn: string): Promise<History> {
  const events: HistoryEvent[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await readHistoryPage(sfn, executionArn, {
      maxResults: pageSize,
      includeExecutionData: false,
      ...(nextToken === undefined ? {} : { nextToken }),
    });
    events.push(...answer.events);
    nextToken = answer.nextToken;
    if (nextToken === undefined) return { events, truncated: false };
  }
  return { events, truncated: true };
}

export type HistoryPage = {
  readonly events: readonly HistoryEvent[];
  readonly nextToken: string | undefined;
};

type PageOptions = {
  readonly maxResults: number;
  readonly includeExecutionData: boolean;
  readonly reverseOrder?: boolean;
  /** Of the page before, within 24 hours. */
  readonly nextToken?: string;
};

/** One page of the history. */
export async function readHistoryPage(
  sfn: SFNClient,
  executionArn: string,
  options: PageOptions,
): Promise<HistoryPage> {
  const { events, nextToken } = await classifyingAws(() =>
    sfn.send(new GetExecutionHistoryCommand({ executionArn, ...options })),
  );
  return { events: events ?? [], nextToken };
}

/** How many events the history has: the id of the newest one. */
export async function countHistory(sfn: SFNClient, executionArn: string): Promise<number> {
  const options = { maxResults: 1, reverseOrder: true, includeExecutionData: false };
  const { events } = await readHistoryPage(sfn, executionArn, options);
  return events[0]?.id ?? 0;
}

/** The definition that the execution was started with; it keeps it whatever becomes of the state machine. */
export async function recordedDefinition(
  sfn: SFNClient,
  executionArn: string,
): Promise<string | undefined> {
  const answer = await orUndefined('ExecutionDoesNotExist', () =>
    sfn.send(new DescribeStateMachineForExecutionCommand({ executionArn })),
  );
  return answer?.definition;
}

/** The definition that a new execution would be started with. */
export async function currentDefinition(
  sfn: SFNClient,
  stateMachineArn: string,
): Promise<string | undefined> {
  const answer = await orUndefined('StateMachineDoesNotExist', () =>
    sfn.send(new DescribeStateMachineCommand({ stateMachineArn })),
  );
  return answer?.definition;
}

async function orUndefined<Answer>(
  name: string,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  return await classifyingAws(async () => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof Error && error.name === name) return undefined;
      throw error;
    }
  });
}

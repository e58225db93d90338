import {
  DescribeMapRunCommand,
  type DescribeMapRunCommandOutput,
  ListExecutionsCommand,
  type ListExecutionsCommandOutput,
  type ExecutionStatus,
  ListMapRunsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';

/** Of an execution; a definition has few distributed Maps, a loop around one is cut off here. */
const mostMapRuns = 100;

/** The Map Runs that an execution has started, the newest first: AWS keeps them as long as the execution. */
export async function describeMapRuns(
  sfn: SFNClient,
  executionArn: string,
): Promise<DescribeMapRunCommandOutput[]> {
  const listed = new ListMapRunsCommand({ executionArn, maxResults: mostMapRuns });
  const { mapRuns = [] } = await classifyingAws(() => sfn.send(listed));
  const described: DescribeMapRunCommandOutput[] = [];
  for (const { mapRunArn } of mapRuns) {
    described.push(await classifyingAws(() => sfn.send(new DescribeMapRunCommand({ mapRunArn }))));
  }
  return described;
}

/** A page of the children of a Map Run, the newest first. */
export async function listChildren(
  sfn: SFNClient,
  mapRunArn: string,
  page: {
    readonly maxResults: number;
    readonly statusFilter?: ExecutionStatus;
    readonly nextToken?: string;
  },
): Promise<ListExecutionsCommandOutput> {
  return await classifyingAws(() => sfn.send(new ListExecutionsCommand({ mapRunArn, ...page })));
}

/** What a Map Run is called in addresses: the last part of arn:aws:states:…:mapRun:<machine>/<label>:<id>. */
export const mapRunIdOf = (mapRunArn: string): string => mapRunArn.split(':').at(-1) ?? mapRunArn;

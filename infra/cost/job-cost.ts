import type { RegisteredJobType } from '../../statemachines/registry.ts';
import { prices } from './prices.ts';

/** What one job of a type does on AWS when nothing fails, on its longest way. */
export type JobWork = {
  readonly transitions: number;
  readonly invocations: number;
  readonly gbSeconds: number;
};

/** Milliseconds that a task is assumed to run: short ones wait for the database, long ones for a document. */
const assumedMs = (timeoutSeconds: number): number => (timeoutSeconds > 60 ? 2_000 : 150);

/** Of a distributed Map: children of a job that is counted as one chunk. */
const assumedChunks = 1;

type State = { readonly Type: string; readonly [member: string]: unknown };
type Level = { readonly StartAt: string; readonly States: Readonly<Record<string, State>> };

/**
 * The states that a job enters on the longest way from the start to an end, errors aside, and one more for the start:
 * AWS counts each step of an execution as a transition (https://aws.amazon.com/step-functions/pricing/).
 */
export function workOf(jobType: RegisteredJobType): JobWork {
  const level = JSON.parse(jobType.definition) as Level; // validated where it is deployed
  const way = longestWay(level, level.StartAt, new Set());
  const states = way.flatMap((name) => expanded(level.States[name]));
  const tasks = states.filter((state) => state.Type === 'Task');
  const memory = (name: string) => jobType.tasks.find((task) => taskOf(task.name) === name);
  const gbSeconds = tasks.reduce((sum, state) => {
    const task = memory(functionOf(state));
    if (task === undefined) return sum;
    return sum + (task.memoryMb / 1024) * (assumedMs(task.timeoutSeconds) / 1_000);
  }, 0);
  return { transitions: states.length + 1, invocations: tasks.length, gbSeconds };
}

function longestWay(level: Level, name: string, seen: ReadonlySet<string>): string[] {
  const state = level.States[name];
  if (state === undefined || seen.has(name)) return [];
  const ways = nextOf(state).map((next) => longestWay(level, next, new Set([...seen, name])));
  const longest = ways.reduce<string[]>((best, way) => (way.length > best.length ? way : best), []);
  return [name, ...longest];
}

function nextOf(state: State): string[] {
  const choices = Array.isArray(state['Choices']) ? state['Choices'] : [];
  const names: unknown[] = [
    state['Next'],
    state['Default'],
    ...choices.map((choice: unknown) =>
      typeof choice === 'object' && choice !== null ? Reflect.get(choice, 'Next') : undefined,
    ),
  ];
  return names.filter((name) => typeof name === 'string');
}

/** A state with the states inside of it, once for each branch or chunk. */
function expanded(state: State | undefined): State[] {
  if (state === undefined) return [];
  const branches = Array.isArray(state['Branches']) ? (state['Branches'] as Level[]) : [];
  const inner = (state['ItemProcessor'] ?? state['Iterator']) as Level | undefined;
  const levels = inner === undefined ? branches : Array<Level>(assumedChunks).fill(inner);
  return [
    state,
    ...levels.flatMap((level) =>
      longestWay(level, level.StartAt, new Set()).flatMap((name) => expanded(level.States[name])),
    ),
  ];
}

const taskOf = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function functionOf(state: State): string {
  const parameters = state['Parameters'] ?? state['Arguments'];
  const name: unknown =
    typeof parameters === 'object' && parameters !== null
      ? Reflect.get(parameters, 'FunctionName')
      : undefined;
  return typeof name === 'string' ? name.replaceAll(/[${}]/g, '') : '';
}

/** USD for one job, by what costs it. */
export function jobCost(work: JobWork, payload: RegisteredJobType['payload']) {
  // Send, receive and delete, in batches of a few; and the same for the status-change events of its execution.
  const requests = 3 + 3 * 2;
  const gets = payload === 'none' ? 0 : 2;
  return {
    transitions: work.transitions * prices.transition,
    lambda: work.invocations * prices.lambdaRequest + work.gbSeconds * prices.lambdaGbSecondArm,
    queues: requests * prices.sqsRequest + 3 * prices.sqsFairQueue,
    events: 2 * prices.customEvent,
    payload: payload === 'none' ? 0 : prices.s3Put + gets * prices.s3Get,
  };
}

export const sumOf = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((sum, part) => sum + part, 0);

// EventBridge's protocol, AWS JSON 1.1: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
import { createServer, type Server } from 'node:http';
import { readBody } from '../../processes/read-body.ts';
import {
  createArchive,
  deleteArchive,
  describeArchive,
  listArchives,
  updateArchive,
} from './archive-actions.ts';
import type { EventBridge } from './event-bridge.ts';
import { putEvents } from './put-events.ts';
import { cancelReplay, describeReplay, listReplays, startReplay } from './replay-actions.ts';
import { asObject, type Request } from './request-fields.ts';
import {
  deleteRule,
  describeRule,
  listRules,
  putRule,
  setRuleState,
  testEventPattern,
} from './rule-actions.ts';
import { ServiceError } from './service-error.ts';
import { listTargetsByRule, putTargets, removeTargets } from './target-actions.ts';

type Action = (bridge: EventBridge, request: Request) => unknown;

const ACTIONS: Readonly<Record<string, Action>> = {
  PutEvents: putEvents,
  PutRule: putRule,
  DeleteRule: deleteRule,
  DescribeRule: describeRule,
  ListRules: listRules,
  EnableRule: setRuleState('ENABLED'),
  DisableRule: setRuleState('DISABLED'),
  PutTargets: putTargets,
  RemoveTargets: removeTargets,
  ListTargetsByRule: listTargetsByRule,
  TestEventPattern: testEventPattern,
  CreateArchive: createArchive,
  UpdateArchive: updateArchive,
  DescribeArchive: describeArchive,
  ListArchives: listArchives,
  DeleteArchive: deleteArchive,
  StartReplay: startReplay,
  DescribeReplay: describeReplay,
  ListReplays: listReplays,
  CancelReplay: cancelReplay,
};
/** Ten entries of up to 1 MiB together, with room for JSON's escapes. */
const MAX_BODY_BYTES = 8 * 1_048_576;

/** The server, not yet listening. `GET /health` answers 200. */
export function createEventBridgeServer(bridge: EventBridge): Server {
  return createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/health') {
      response.end('ok');
      return;
    }
    const answer = async (): Promise<[status: number, body: unknown]> => {
      try {
        const body = await readBody(request, MAX_BODY_BYTES);
        const result = perform(bridge, request.headers['x-amz-target'], body);
        await bridge.onDisk();
        return [200, result];
      } catch (error) {
        return describeError(bridge, error);
      }
    };
    void answer().then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    });
  });
}

function perform(bridge: EventBridge, target: unknown, body: Buffer): unknown {
  const name = String(target).replace(/^AWSEvents\./, '');
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) {
    throw new ServiceError('UnknownOperationException', `This stand-in has no action ${name}.`);
  }
  let request: unknown;
  try {
    request = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ServiceError('SerializationException', 'The request is not valid JSON.');
  }
  return action(bridge, asObject(request, 'the request'));
}

function describeError(bridge: EventBridge, error: unknown): [status: number, body: unknown] {
  if (error instanceof ServiceError) return [400, { __type: error.type, message: error.message }];
  bridge.log(
    `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return [500, { __type: 'InternalException', message: 'internal error, see the log of cloud' }];
}

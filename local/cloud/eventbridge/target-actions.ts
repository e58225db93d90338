// PutTargets and its like: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutTargets.html
import type { EventBridge } from './event-bridge.ts';
import { assertDefaultBus } from './names.ts';
import { page } from './page.ts';
import {
  asObject,
  optionalText,
  type Request,
  requiredList,
  requiredText,
} from './request-fields.ts';
import { existingRule } from './rule-actions.ts';
import type { Rule, Target } from './rules-store.ts';
import { ServiceError } from './service-error.ts';

const RULE = /^[.\-_A-Za-z0-9]{1,64}$/;
const TARGET_ID = /^[.\-_A-Za-z0-9]{1,64}$/;
const TARGET_ARN = /^arn:aws:s[qn]s:[a-z0-9-]+:\d{12}:[A-Za-z0-9_.-]+$/;
const MAX_TARGETS = 5;
/** Fields of a target that change what is delivered; the rest (RetryPolicy, RoleArn …) has no meaning on one machine. */
const UNSUPPORTED = ['InputPath', 'InputTransformer', 'DeadLetterConfig'];

/** Adds targets, or replaces those of the same id. */
export function putTargets({ rules }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const rule = ruleOf(rules.get(requiredText(request, 'Rule', RULE)), request);
  const given = requiredList(request, 'Targets', 100).map((target) =>
    parseTarget(asObject(target, 'a target')),
  );
  const kept = rule.targets.filter((old) => !given.some((target) => target.id === old.id));
  const targets = [...kept, ...given];
  if (targets.length > MAX_TARGETS) {
    throw new ServiceError(
      'LimitExceededException',
      `The requested resource exceeds the maximum number allowed: ${MAX_TARGETS} targets a rule.`,
    );
  }
  rules.put({ ...rule, targets });
  return { FailedEntryCount: 0, FailedEntries: [] };
}

/** Ids that the rule does not have are failed entries; the others are removed. */
export function removeTargets({ rules }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const rule = ruleOf(rules.get(requiredText(request, 'Rule', RULE)), request);
  const ids = requiredList(request, 'Ids', 100).map(String);
  const unknown = ids.filter((id) => !rule.targets.some((target) => target.id === id));
  rules.put({ ...rule, targets: rule.targets.filter((target) => !ids.includes(target.id)) });
  return {
    FailedEntryCount: unknown.length,
    FailedEntries: unknown.map((id) => ({
      TargetId: id,
      ErrorCode: 'ResourceNotFoundException',
      ErrorMessage: `Rule ${rule.name} does not have target ${id}.`,
    })),
  };
}

export function listTargetsByRule({ rules }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const rule = ruleOf(rules.get(requiredText(request, 'Rule', RULE)), request);
  const { items, NextToken } = page(rule.targets, request);
  return {
    Targets: items.map((target) => ({
      Id: target.id,
      Arn: target.arn,
      Input: target.input,
      SqsParameters: target.messageGroupId && { MessageGroupId: target.messageGroupId },
    })),
    NextToken,
  };
}

const ruleOf = (rule: Rule | undefined, request: Request): Rule =>
  existingRule(rule, optionalText(request, 'Rule') ?? '');

function parseTarget(target: Request): Target {
  const id = requiredText(target, 'Id', TARGET_ID);
  const arn = requiredText(target, 'Arn', /^/);
  if (!TARGET_ARN.test(arn)) {
    throw new ServiceError(
      'ValidationException',
      `Target ${id}: this stand-in delivers to SQS queues and SNS topics only, not to ${arn}.`,
    );
  }
  const unsupported = UNSUPPORTED.find((field) => target[field] !== undefined);
  if (unsupported) {
    throw new ServiceError(
      'ValidationException',
      `Target ${id}: ${unsupported} is not supported by this stand-in.`,
    );
  }
  const input = optionalText(target, 'Input');
  const sqs = target['SqsParameters'];
  const group =
    sqs === undefined ? undefined : optionalText(asObject(sqs, 'SqsParameters'), 'MessageGroupId');
  return {
    id,
    arn,
    ...(input === undefined ? {} : { input }),
    ...(group === undefined ? {} : { messageGroupId: group }),
  };
}

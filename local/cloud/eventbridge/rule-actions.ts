// PutRule and its like: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Operations.html
import { InvalidPatternError } from './comparison.ts';
import type { EventBridge } from './event-bridge.ts';
import { compilePattern } from './match-pattern.ts';
import { assertDefaultBus, ruleArn } from './names.ts';
import { page } from './page.ts';
import { asObject, optionalText, type Request, requiredText } from './request-fields.ts';
import type { Rule } from './rules-store.ts';
import { ServiceError } from './service-error.ts';

const NAME = /^[.\-_A-Za-z0-9]{1,64}$/;
const MAX_RULES = 300;

/** Makes or replaces a rule; what is not given is not kept, only its targets are. */
export function putRule({ rules, region }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const name = requiredText(request, 'Name', NAME);
  if (optionalText(request, 'ScheduleExpression') !== undefined) {
    throw new ServiceError('ValidationException', 'Schedules are not supported by this stand-in.');
  }
  const eventPattern = optionalText(request, 'EventPattern');
  if (eventPattern === undefined) {
    throw new ServiceError(
      'ValidationException',
      'Parameter(s) EventPattern or ScheduleExpression must be specified.',
    );
  }
  assertPattern(eventPattern);
  const state = optionalText(request, 'State') ?? 'ENABLED';
  if (state !== 'ENABLED' && state !== 'DISABLED') {
    throw new ServiceError('ValidationException', `State ${state} must be ENABLED or DISABLED.`);
  }
  const existing = rules.get(name);
  if (!existing && rules.all().length >= MAX_RULES) {
    throw new ServiceError(
      'LimitExceededException',
      `The requested resource exceeds the maximum number allowed: ${MAX_RULES} rules.`,
    );
  }
  const description = optionalText(request, 'Description');
  rules.put({
    name,
    eventPattern,
    state,
    ...(description === undefined ? {} : { description }),
    targets: existing?.targets ?? [],
  });
  return { RuleArn: ruleArn(region, name) };
}

/** A rule that is not there is deleted already; one that has targets is not deleted. */
export function deleteRule({ rules }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const name = requiredText(request, 'Name', NAME);
  if ((rules.get(name)?.targets.length ?? 0) > 0) {
    throw new ServiceError('ValidationException', "Rule can't be deleted since it has targets.");
  }
  rules.delete(name);
  return {};
}

export function describeRule({ rules, region }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  return describe(existingRule(rules.get(nameOf(request)), nameOf(request)), region);
}

export function listRules({ rules, region }: EventBridge, request: Request): unknown {
  assertDefaultBus(request);
  const prefix = optionalText(request, 'NamePrefix') ?? '';
  const { items, NextToken } = page(
    rules.all().filter((rule) => rule.name.startsWith(prefix)),
    request,
  );
  return { Rules: items.map((rule) => describe(rule, region)), NextToken };
}

export const setRuleState =
  (state: Rule['state']) =>
  ({ rules }: EventBridge, request: Request): unknown => {
    assertDefaultBus(request);
    rules.put({ ...existingRule(rules.get(nameOf(request)), nameOf(request)), state });
    return {};
  };

export function testEventPattern(_bridge: EventBridge, request: Request): unknown {
  const pattern = requiredText(request, 'EventPattern', /^/);
  assertPattern(pattern);
  let event: unknown;
  try {
    event = JSON.parse(requiredText(request, 'Event', /^/));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('ValidationException', 'Parameter Event is not valid.');
  }
  return { Result: compilePattern(pattern)(asObject(event, 'Event')) };
}

/** Throws ResourceNotFoundException, as every action on a rule that is not there. */
export function existingRule(rule: Rule | undefined, name: string): Rule {
  if (rule) return rule;
  throw new ServiceError(
    'ResourceNotFoundException',
    `Rule ${name} does not exist on EventBus default.`,
  );
}

const nameOf = (request: Request): string => requiredText(request, 'Name', NAME);

/** Throws InvalidEventPatternException. */
export function assertPattern(text: string): void {
  try {
    compilePattern(text);
  } catch (error) {
    if (!(error instanceof InvalidPatternError)) throw error;
    throw new ServiceError('InvalidEventPatternException', error.message);
  }
}

const describe = (rule: Rule, region: string): unknown => ({
  Name: rule.name,
  Arn: ruleArn(region, rule.name),
  EventPattern: rule.eventPattern,
  State: rule.state,
  Description: rule.description,
  EventBusName: 'default',
});

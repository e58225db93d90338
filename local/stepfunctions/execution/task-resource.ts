/** How a service integration is awaited. */
export type IntegrationPattern = 'requestResponse' | 'sync' | 'waitForTaskToken';

/** What a Task's Resource names. */
export type TaskResource =
  | { readonly family: 'LambdaFunction'; readonly resource: string }
  | { readonly family: 'Activity'; readonly resource: string }
  | {
      readonly family: 'Task';
      /** `lambda`, `states`, `aws-sdk:dynamodb` … */
      readonly resourceType: string;
      /** The action with its pattern, as history shows it: `startExecution.sync:2`. */
      readonly resource: string;
      readonly action: string;
      readonly pattern: IntegrationPattern;
      /** `sync:2` where the integration has a second form of `.sync`. */
      readonly suffix?: string;
    };

const SERVICE =
  /^arn:[^:]+:states:[^:]*:[^:]*:(aws-sdk:[^:]+|[^:.]+):([^.]+)(?:\.(sync(?::2)?|waitForTaskToken))?$/;
const FUNCTION = /^arn:[^:]+:lambda:[^:]*:[^:]*:function:/;
const ACTIVITY = /^arn:[^:]+:states:[^:]*:[^:]*:activity:/;

/** Undefined for a resource of no known kind. */
export function parseTaskResource(resource: string): TaskResource | undefined {
  if (FUNCTION.test(resource)) return { family: 'LambdaFunction', resource };
  if (ACTIVITY.test(resource)) return { family: 'Activity', resource };
  const match = SERVICE.exec(resource);
  const [, resourceType, action, suffix] = match ?? [];
  if (resourceType === undefined || action === undefined) return undefined;
  return {
    family: 'Task',
    resourceType,
    resource: suffix === undefined ? action : `${action}.${suffix}`,
    action,
    pattern:
      suffix === undefined ? 'requestResponse' : suffix === 'waitForTaskToken' ? suffix : 'sync',
    ...(suffix !== undefined && { suffix }),
  };
}

/** The pattern of a resource as history shows it (`sendMessage.waitForTaskToken`). */
export function patternOf(resource: string): IntegrationPattern {
  if (resource.endsWith('.waitForTaskToken')) return 'waitForTaskToken';
  return /\.sync(:2)?$/.test(resource) ? 'sync' : 'requestResponse';
}

import { isJsonObject } from '../language/json.ts';
import { template } from './check-template.ts';
import { report, type Check, type Place } from './place.ts';

/** A Lambda function, an activity, or a service integration, in any partition. */
const resourcePattern = new RegExp(
  [
    '^arn:[\\w-]+:lambda:[^:]*:[^:]*:function:[^:]+(:[^:]+)?$',
    '^arn:[\\w-]+:states:[^:]+:[^:]*:activity:.+$',
    '^arn:[\\w-]+:states:::[\\w-]+(:[\\w-]+)?:[\\w-]+(\\.sync|\\.sync:2|\\.waitForTaskToken)?$',
  ].join('|'),
);

/** A Task's Resource. Which services can be called is known only where tasks are run. */
export const resource: Check = (value, place) => {
  if (typeof value !== 'string') report(place, 'Expected value of type [STRING]');
  else if (!resourcePattern.test(value)) {
    report(place, 'Value is not a valid resource ARN');
  } else if (place.machineType === 'EXPRESS') checkExpress(value, place);
};

/** The trailing blank in the second text is AWS's own. */
function checkExpress(value: string, place: Place): void {
  if (/\.sync(:2)?$/.test(value)) {
    report(place, "Express state machine does not support '.sync' service integration");
  } else if (value.endsWith('.waitForTaskToken')) {
    report(
      place,
      "Express state machine does not support '.waitForTaskToken' service integration ",
    );
  } else if (value.includes(':activity:')) {
    report(place, 'Express state machine does not support activities');
  }
}

/** Credentials: the role to assume, given or by a path. */
export const credentials: Check = (value, place) => {
  if (!isJsonObject(value)) {
    report(place, 'Expected value of type [OBJECT]');
    return;
  }
  const names = place.queryLanguage === 'JSONPath' ? ['RoleArn', 'RoleArn.$'] : ['RoleArn'];
  if (!names.some((name) => Object.hasOwn(value, name))) {
    report(place, "The field 'RoleArn' is required but was missing");
  }
  template()(value, place);
};

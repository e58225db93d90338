import type { AliasRow } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import { doesNotExist } from './find-machine.ts';
import type { Api } from './operation.ts';

/**
 * Checks an alias's routing: existing, distinct versions of one machine, weights that add up to
 * 100. Returns the machine's ARN.
 */
export function checkRouting(api: Api, routing: AliasRow['routing']): string {
  const arns = routing.map(({ stateMachineVersionArn }) => stateMachineVersionArn);
  const received = `Received: [${arns.join(', ')}]`;
  const invalid = (text: string): ApiError => new ApiError('ValidationException', text);
  const parsed = arns.map((arn) => checkArn(arn, 'stateMachine'));
  if (!parsed.every(({ parts }) => /^\d+$/.test(parts[1] ?? ''))) {
    throw invalid(`Routing configuration must contain state machine version ARNs. ${received}`);
  }
  if (new Set(arns).size < arns.length) {
    throw invalid(
      `Routing configuration must contain distinct state machine version ARNs. ${received}`,
    );
  }
  const machineArns = new Set(arns.map((arn) => arn.slice(0, arn.lastIndexOf(':'))));
  if (machineArns.size > 1) {
    throw invalid(`Routing configuration must contain versions of one state machine. ${received}`);
  }
  const weights = routing.map(({ weight }) => weight);
  if (weights.reduce((sum, weight) => sum + weight, 0) !== 100) {
    throw invalid(
      `Sum of routing configuration weights must equal 100. Received: [${weights.join(', ')}]`,
    );
  }
  for (const arn of arns) {
    if (!api.store.machines.version(arn)) throw doesNotExist(arn);
  }
  const [machineArn = ''] = machineArns;
  return machineArn;
}

/**
 * Amazon Resource Names of Step Functions.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html
 */
export type Locality = { readonly region: string; readonly accountId: string };

export type ParsedArn = {
  /** `stateMachine`, `execution`, `express`, `activity`, `mapRun`, … */
  readonly kind: string;
  /** What follows the kind, cut at its colons. */
  readonly parts: readonly string[];
};

/** Undefined for a text that is no ARN at all. */
export function parseArn(arn: string): ParsedArn | undefined {
  const [prefix, partition, service, region, account, kind, ...parts] = arn.split(':');
  if (prefix !== 'arn' || !partition || service !== 'states' || !region || !account)
    return undefined;
  return kind && parts.length > 0 && parts.every((part) => part !== '')
    ? { kind, parts }
    : undefined;
}

function states({ region, accountId }: Locality, resource: string): string {
  return `arn:aws:states:${region}:${accountId}:${resource}`;
}

export function machineArn(locality: Locality, name: string): string {
  return states(locality, `stateMachine:${name}`);
}

export function activityArn(locality: Locality, name: string): string {
  return states(locality, `activity:${name}`);
}

export function executionArn(locality: Locality, machineName: string, name: string): string {
  return states(locality, `execution:${machineName}:${name}`);
}

export function expressArn(
  locality: Locality,
  machineName: string,
  name: string,
  id: string,
): string {
  return states(locality, `express:${machineName}:${name}:${id}`);
}

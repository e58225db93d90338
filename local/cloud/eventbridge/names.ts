import { optionalText, type Request } from './request-fields.ts';
import { ServiceError } from './service-error.ts';

export const ACCOUNT = '000000000000';

export const ruleArn = (region: string, name: string): string =>
  `arn:aws:events:${region}:${ACCOUNT}:rule/${name}`;

export const busArn = (region: string): string =>
  `arn:aws:events:${region}:${ACCOUNT}:event-bus/default`;

export const archiveArn = (region: string, name: string): string =>
  `arn:aws:events:${region}:${ACCOUNT}:archive/${name}`;

export const replayArn = (region: string, name: string): string =>
  `arn:aws:events:${region}:${ACCOUNT}:replay/${name}`;

/** What is wrong with the request's event bus, which is given by its name or its ARN; undefined when nothing is. */
export function refuseOtherBus(request: Request): string | undefined {
  const bus = optionalText(request, 'EventBusName') ?? 'default';
  return bus === 'default' || bus.endsWith(':event-bus/default')
    ? undefined
    : `Event bus ${bus} does not exist. This stand-in has the default bus only.`;
}

/** Throws ResourceNotFoundException for any other event bus. */
export function assertDefaultBus(request: Request): void {
  const problem = refuseOtherBus(request);
  if (problem !== undefined) throw new ServiceError('ResourceNotFoundException', problem);
}

import type { Revision } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';
import type * as field from './fields.ts';
import type { Infer } from './shape.ts';

type Configuration = {
  readonly loggingConfiguration?: Infer<typeof field.loggingConfiguration>;
  readonly tracingConfiguration?: Infer<typeof field.tracingConfiguration>;
  readonly encryptionConfiguration?: Infer<typeof field.encryptionConfiguration>;
};

/** The rules that go beyond the model's constraints. */
export function checkConfiguration({
  loggingConfiguration,
  encryptionConfiguration,
}: Configuration): void {
  const { level = 'OFF', destinations = [] } = loggingConfiguration ?? {};
  if ((level !== 'OFF' && destinations.length !== 1) || destinations.length > 1) {
    throw new ApiError(
      'InvalidLoggingConfiguration',
      'Invalid Logging Configuration: Must specify exactly one Log Destination.',
    );
  }
  if (
    encryptionConfiguration?.type === 'CUSTOMER_MANAGED_KMS_KEY' &&
    !encryptionConfiguration.kmsKeyId
  ) {
    throw new ApiError(
      'InvalidEncryptionConfiguration',
      "Invalid Encryption Configuration: 'kmsKeyId' is required for CUSTOMER_MANAGED_KMS_KEY.",
    );
  }
}

/** The configurations as they are stored and described, with AWS's defaults filled in. */
export function configurationTexts(
  { loggingConfiguration, tracingConfiguration, encryptionConfiguration }: Configuration,
  present?: Revision,
): Pick<Revision, 'logging' | 'tracing' | 'encryption'> {
  const logging = loggingConfiguration
    ? JSON.stringify({ level: 'OFF', includeExecutionData: false, ...loggingConfiguration })
    : (present?.logging ?? JSON.stringify({ level: 'OFF', includeExecutionData: false }));
  const tracing = tracingConfiguration
    ? JSON.stringify({ enabled: tracingConfiguration.enabled ?? false })
    : (present?.tracing ?? JSON.stringify({ enabled: false }));
  const encryption = encryptionConfiguration
    ? JSON.stringify(encryptionConfiguration)
    : present?.encryption;
  return { logging, tracing, ...(encryption !== undefined && { encryption }) };
}

/** A revision's configurations as the describe calls show them. */
export function describedConfiguration({ logging, tracing, encryption }: Revision): object {
  return {
    loggingConfiguration: JSON.parse(logging),
    tracingConfiguration: JSON.parse(tracing),
    encryptionConfiguration:
      encryption === undefined ? { type: 'AWS_OWNED_KEY' } : JSON.parse(encryption),
  };
}

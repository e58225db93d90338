/**
 * USD, us-east-1, as of 2026-06; docs/cost.md says where from. AWS' own pages render numbers by script: check them in
 * the AWS Pricing Calculator before you rely on them.
 */
export const prices = {
  /** Step Functions Standard: each state transition, retries and redrives included. */
  transition: 0.025 / 1_000,
  expressRequest: 1 / 1e6,
  /** Express: memory is counted in 64 MB steps, time in 100 ms. */
  expressGbSecond: 0.00001667,
  lambdaRequest: 0.2 / 1e6,
  lambdaGbSecondArm: 0.0000133334,
  /** Each 64 KiB of a message is one request. */
  sqsRequest: 0.4 / 1e6,
  /** On top, for messages with a MessageGroupId on a standard queue. */
  sqsFairQueue: 0.1 / 1e6,
  /** Events of AWS services on the default bus cost nothing. */
  customEvent: 1 / 1e6,
  s3Put: 0.005 / 1_000,
  s3Get: 0.0004 / 1_000,
  fargateVcpuHour: 0.03238,
  fargateGbHour: 0.00356,
  /** The second is remembered, not read from a dated page: check it first. */
  databaseHour: { 't4g.micro': 0.016, 'r8g.large': 0.239 },
  storageGbMonth: 0.115,
  proxyVcpuHour: 0.015,
  natHour: 0.045,
  interfaceEndpointHour: 0.01,
  publicAddressHour: 0.005,
  loadBalancerHour: 0.0225,
  alarmMonth: 0.1,
  customMetricMonth: 0.3,
  /** This and the next are remembered as well. */
  kmsKeyMonth: 1,
  secretMonth: 0.4,
  logGb: 0.5,
} as const;

export const hoursPerMonth = 730;

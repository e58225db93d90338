import { alertRules } from '../../jobs/alert-rules.ts';
import type { ServiceSize, Stage } from '../stages.ts';
import { hoursPerMonth, prices } from './prices.ts';

const zones = 2;
/** Secrets Manager; with `interfaceEndpoints` also SQS, Step Functions, EventBridge, Logs and both of ECR. */
const endpointsOf = ({ network }: Stage): number => (network.interfaceEndpoints ? 7 * zones : 1);

/** What every stage has so many of; a test holds them against the templates. */
export const counts = { alarms: 41, keys: 2, secrets: 2 } as const;

/** USD a month of a stage in which nothing happens, by what costs it. */
export function stageCost(stage: Stage): Record<string, number> {
  const { database, network } = stage;
  const servers = database.multiAz ? 2 : 1;
  const publicAddresses =
    zones + (network.natGateways === 0 ? stage.api.min + stage.worker.min : 0);
  return {
    'database server': hoursPerMonth * prices.databaseHour[database.instance] * servers,
    'database storage': database.storageGb * prices.storageGbMonth * servers,
    'RDS Proxy (2 vCPU)': database.proxy ? hoursPerMonth * 2 * prices.proxyVcpuHour : 0,
    'Fargate: api': fargate(stage.api),
    'Fargate: worker': fargate(stage.worker),
    'load balancer': hoursPerMonth * prices.loadBalancerHour,
    'NAT gateways': hoursPerMonth * prices.natHour * network.natGateways,
    'interface endpoints': hoursPerMonth * prices.interfaceEndpointHour * endpointsOf(stage),
    'public addresses': hoursPerMonth * prices.publicAddressHour * publicAddresses,
    'alarms and metrics':
      counts.alarms * prices.alarmMonth + alertRules.length * prices.customMetricMonth,
    'keys and secrets': counts.keys * prices.kmsKeyMonth + counts.secrets * prices.secretMonth,
  };
}

const fargate = ({ cpu, memoryMb, min }: ServiceSize): number =>
  hoursPerMonth *
  min *
  ((cpu / 1024) * prices.fargateVcpuHour + (memoryMb / 1024) * prices.fargateGbHour);

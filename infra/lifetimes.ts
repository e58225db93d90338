import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Stage } from './stages.ts';

/** What holds data outlives its stack where the stage is protected. */
export const removalOf = (stage: Stage): RemovalPolicy =>
  stage.deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

export const retentionOf = (stage: Stage): RetentionDays =>
  stage.logDays === 7 ? RetentionDays.ONE_WEEK : RetentionDays.THREE_MONTHS;

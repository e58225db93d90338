/** Where the worker's lines go, among them one a minute with the value of every alert rule. */
export const alarmLogGroupName = '/pawl/worker';

/** The namespace of Pawl's own metrics in CloudWatch. */
export const metricNamespace = 'Pawl';

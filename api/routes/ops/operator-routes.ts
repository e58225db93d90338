import { bulkOperations } from './bulk-operations.ts';
import { callbacks } from './callbacks.ts';
import { deadLetters } from './dead-letters.ts';
import { effects } from './effects.ts';
import { eventReplays } from './event-replays.ts';
import { getAlerts } from './get-alerts.ts';
import { getAudit } from './get-audit.ts';
import { getDoctor } from './get-doctor.ts';
import { getExecution } from './get-execution.ts';
import { getHistory } from './get-history.ts';
import { getOutbox } from './get-outbox.ts';
import { getOverview } from './get-overview.ts';
import { getQueues } from './get-queues.ts';
import { getRedrivePreview } from './get-redrive-preview.ts';
import { getStateMachines } from './get-state-machines.ts';
import { getStuck } from './get-stuck.ts';
import { getTrail } from './get-trail.ts';
import { keys } from './keys.ts';
import { mapRuns } from './map-runs.ts';
import { postBulk } from './post-bulk.ts';
import { quarantine } from './quarantine.ts';
import { stock } from './stock.ts';

/** What operators call (scope ops), each a file. */
export const operatorRoutes = [
  getOverview,
  getTrail,
  getExecution,
  getHistory,
  mapRuns,
  getRedrivePreview,
  postBulk,
  bulkOperations,
  getQueues,
  deadLetters,
  quarantine,
  getOutbox,
  getStuck,
  getDoctor,
  getAlerts,
  effects,
  callbacks,
  eventReplays,
  stock,
  getStateMachines,
  keys,
  getAudit,
];

import { getExecution } from './get-execution.ts';
import { getRedrivePreview } from './get-redrive-preview.ts';

/** What operators call (scope ops), each a file. */
export const operatorRoutes = [getExecution, getRedrivePreview];

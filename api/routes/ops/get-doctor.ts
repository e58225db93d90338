import { Type } from 'typebox';
import { type Examination, diagnose } from '../../../jobs/doctor.ts';
import {
  countRecentFailures,
  findHottest,
  findTenantsAtQuota,
  readDatabaseFigures,
  readRates,
} from '../../../jobs/store/load-figures.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses } from '../../schemas.ts';

const finding = Type.Object({
  id: Type.String(),
  question: Type.String(),
  normal: orNull(Type.Boolean({ description: 'null: it could not be answered' })),
  answer: Type.String(),
  action: Type.String(),
  runbook: Type.String({ description: 'below docs/runbooks/' }),
});

/** GET /ops/doctor: the questions of the runbook for a growing backlog, asked of the running system. */
export function getDoctor(api: Api, { sql, operations, clock }: RouteDeps): void {
  api.get(
    '/ops/doctor',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getDoctor',
        tags: ['operations'],
        summary: 'Ask what is abnormal',
        response: {
          200: Type.Object({ healthy: Type.Boolean(), findings: Type.Array(finding) }),
          ...problemResponses,
        },
      },
    },
    async () => {
      const [figures, rates, database, hottest, recentFailures, tenantsAtQuota] = await Promise.all(
        [
          operations.figures(),
          readRates(sql),
          readDatabaseFigures(sql),
          findHottest(sql),
          countRecentFailures(sql),
          findTenantsAtQuota(sql),
        ],
      );
      const examination: Examination = {
        figures,
        rates,
        database,
        hottest,
        recentFailures,
        tenantsAtQuota,
        now: clock(),
      };
      const findings = diagnose(examination);
      return { healthy: findings.every(({ normal }) => normal === true), findings };
    },
  );
}

import { Type } from 'typebox';
import { type AlertRule, alertRules, isFiring } from '../../../jobs/alert-rules.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses } from '../../schemas.ts';

const alert = Type.Object({
  name: Type.String(),
  summary: Type.String(),
  severity: Type.String({ description: 'page or ticket' }),
  value: orNull(Type.Number({ description: 'null: not known' })),
  above: Type.Number({ description: 'the threshold' }),
  unit: Type.String(),
  firing: orNull(Type.Boolean()),
  runbook: Type.String({ description: 'below docs/runbooks/' }),
});

/** GET /ops/alerts: every alert rule with its value now: the same thresholds as Prometheus and the doctor. */
export function getAlerts(api: Api, { operations }: RouteDeps): void {
  api.get(
    '/ops/alerts',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getAlerts',
        tags: ['operations'],
        summary: 'See which alerts are above their thresholds',
        response: { 200: Type.Object({ alerts: Type.Array(alert) }), ...problemResponses },
      },
    },
    async (_request, reply) => {
      const figures = await operations.figures();
      const rules: readonly AlertRule[] = alertRules;
      const alerts = rules.map((rule) => ({
        name: rule.name,
        summary: rule.summary,
        severity: rule.severity,
        value: rule.read(figures),
        above: rule.above,
        unit: rule.unit,
        firing: isFiring(rule, figures),
        runbook: rule.runbook,
      }));
      return reply.send({ alerts });
    },
  );
}

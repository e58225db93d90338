// Writes docs/alerts/prometheus.yml from jobs/alert-rules.ts: `node scripts/alerts-file.ts`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AlertRule, alertRules } from '../jobs/alert-rules.ts';

export const alertsFile = fileURLToPath(new URL('../docs/alerts/prometheus.yml', import.meta.url));

/** A YAML double-quoted text is a JSON text (https://yaml.org/spec/1.2.2/#rule-c-double-quoted). */
const text = (value: string): string => JSON.stringify(value);

const entry = (rule: AlertRule): string => `      - alert: ${rule.name}
        expr: ${text(`${rule.promql} > ${rule.above}`)}
        for: ${rule.forSeconds}s
        labels:
          severity: ${rule.severity}
        annotations:
          summary: ${text(rule.summary)}
          threshold: ${text(`above ${rule.above} ${rule.unit}`)}
          runbook: docs/runbooks/${rule.runbook}
`;

/** The file's text; a test holds it against it. */
export const alertsText =
  (): string => `# Made from jobs/alert-rules.ts by scripts/alerts-file.ts; do not edit.
groups:
  - name: pawl
    interval: 15s
    rules:
${alertRules.map(entry).join('')}      - alert: FiguresMissing
        expr: "absent(pawl_figures_up) or max(pawl_figures_up) == 0"
        for: 60s
        labels:
          severity: page
        annotations:
          summary: "No process of Pawl's can read the database or SQS: the other alerts see nothing"
          threshold: "no figures"
          runbook: docs/runbooks/database-slow.md
`;

if (import.meta.main) {
  mkdirSync(dirname(alertsFile), { recursive: true });
  writeFileSync(alertsFile, alertsText());
}

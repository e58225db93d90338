import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { alertRules } from '../../jobs/alert-rules.ts';
import {
  createMessageMetrics,
  createPoolWaitMetric,
  createSystemMetrics,
} from '../../jobs/metrics.ts';
import { alertsFile, alertsText } from '../../scripts/alerts-file.ts';
import { failureCodesPage, failureCodesPageFile } from '../../scripts/failure-codes-page.ts';

const docs = (file: string): string =>
  fileURLToPath(new URL(`../../docs/${file}`, import.meta.url));

test('docs/alerts/prometheus.yml says what jobs/alert-rules.ts does (node scripts/alerts-file.ts writes it)', () => {
  assert.equal(readFileSync(alertsFile, 'utf8'), alertsText());
});

test('docs/failure-codes.md has every code (node scripts/failure-codes-page.ts writes it)', () => {
  assert.equal(readFileSync(failureCodesPageFile, 'utf8'), failureCodesPage());
});

test('every alert has a runbook, and asks for metrics that there are', () => {
  const register = new Registry();
  createMessageMetrics(register);
  createPoolWaitMetric(register);
  const never = async (): Promise<never> => await Promise.reject(new Error('not asked'));
  createSystemMetrics(register, { figures: never, endings: never, onError: () => undefined });
  const names = new Set(register.getMetricsAsArray().map(({ name }) => name));
  for (const { name, promql, runbook } of alertRules) {
    assert.ok(existsSync(docs(`runbooks/${runbook}`)), `${name}: docs/runbooks/${runbook}`);
    for (const [metric] of promql.matchAll(/pawl_\w+/g)) {
      assert.ok(names.has(metric.replace(/_bucket$/, '')), `${name} asks for ${metric}`);
    }
  }
});

test('runbooks name calls of the API that there are', () => {
  const openapi: unknown = JSON.parse(readFileSync(docs('openapi.json'), 'utf8'));
  const known = Object.keys((openapi as { paths: Record<string, unknown> }).paths);
  const isKnown = (path: string): boolean =>
    known.some((pattern) =>
      new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace(/\?.*$/, '')),
    );
  for (const file of readdirSync(docs('runbooks'))) {
    const page = readFileSync(docs(`runbooks/${file}`), 'utf8');
    for (const [, path = ''] of page.matchAll(/\b(?:GET|POST|PUT) (\/[\w/:?=&-]+)/g)) {
      if (['/metrics'].includes(path)) continue;
      assert.ok(isKnown(path), `${file} names ${path}`);
    }
  }
});

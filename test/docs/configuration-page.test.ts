import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ConfigError } from '../../jobs/config-reader.ts';
import { readApiConfig, readWorkerConfig } from '../../jobs/config.ts';
import { configurationPage, configurationPageFile } from '../../scripts/configuration-page.ts';

test('docs/configuration.md says what the code reads (node scripts/configuration-page.ts writes it)', () => {
  assert.equal(readFileSync(configurationPageFile, 'utf8'), configurationPage());
});

test('a process lists every problem of its environment at once, each with what would be right', () => {
  const broken = { PORT: 'many', DATABASE_URL: 'nowhere', LOG_LEVEL: 'loud' };
  assert.throws(
    () => readApiConfig(broken),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      for (const part of [
        'PORT=many must be a whole number',
        'DATABASE_URL is not a URL',
        'LOG_LEVEL=loud must be one of',
        'JOB_REQUESTS_QUEUE_URL is not set',
        'PAYLOAD_BUCKET is not set',
      ]) {
        assert.ok(error.message.includes(part), `${part} in\n${error.message}`);
      }
      return true;
    },
  );
});

test('numbers out of their range are refused with the range', () => {
  assert.throws(
    () => readWorkerConfig({ DISPATCH_CONCURRENCY: '1000' }),
    /DISPATCH_CONCURRENCY=1000 must be a whole number from 0 to 200/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startImportLab } from './import-lab.ts';

const lab = await startImportLab();

test('a CSV goes in row by row; the last row of a key stands', async () => {
  const csv = 'id,name,note\n1,Ayu,\n2,Budi,"two\nlines, a ""quote"""\n1,Ayu Lestari,moved\n';
  const job = await lab.run(csv, { dataset: 'people', keyField: 'id' });
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  assert.deepEqual(job.result, { total: 3, imported: 3, failed: 0 });
  assert.deepEqual(job.progress, { done: 3, total: 3, failed: 0 });
  assert.deepEqual(await lab.rows('people'), [
    { id: '1', name: 'Ayu Lestari', note: 'moved' },
    { id: '2', name: 'Budi', note: 'two\nlines, a "quote"' },
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFixture, succeed, type HistoryEvent } from './engine-fixture.ts';

const PASSES = {
  StartAt: 'A',
  States: {
    A: { Type: 'Pass', Next: 'B' },
    B: { Type: 'Pass', Next: 'C' },
    C: { Type: 'Pass', End: true },
  },
};

type Page = { events: HistoryEvent[]; nextToken?: string };

test('a history read in pages is the whole history, in either order', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run(PASSES);
  await fixture.ended(executionArn);
  for (const reverseOrder of [false, true]) {
    const ids: number[] = [];
    let nextToken: string | undefined;
    let pages = 0;
    do {
      const page: Page = await fixture.call('GetExecutionHistory', {
        executionArn,
        maxResults: 3,
        reverseOrder,
        ...(nextToken !== undefined && { nextToken }),
      });
      ids.push(...page.events.map(({ id }) => id));
      ({ nextToken } = page);
      pages += 1;
    } while (nextToken !== undefined);
    const expected = [1, 2, 3, 4, 5, 6, 7, 8];
    assert.deepEqual(ids, reverseOrder ? expected.toReversed() : expected);
    assert.equal(pages, 3);
  }
  fixture.stop();
});

test('a page token is good for its own list only, and for a day', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run(PASSES);
  const other = await fixture.run(PASSES);
  await fixture.ended(other);
  const { nextToken } = await fixture.call<Page>('GetExecutionHistory', {
    executionArn,
    maxResults: 1,
  });
  const refused = (request: object): Promise<void> =>
    assert.rejects(fixture.call('GetExecutionHistory', request), { code: 'InvalidToken' });
  await refused({ executionArn: other, nextToken });
  await refused({ executionArn, nextToken: 'nonsense' });
  fixture.clock.advance(24 * 60 * 60 * 1000 + 1);
  await refused({ executionArn, nextToken });
  fixture.stop();
});

test('more results than AWS allows are refused in its words', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run(PASSES);
  await assert.rejects(fixture.call('GetExecutionHistory', { executionArn, maxResults: 1001 }), {
    code: 'ValidationException',
    message:
      "1 validation error detected: Value '1001' at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 1000",
  });
  await assert.rejects(fixture.call('ListStateMachines', { maxResults: -1, nextToken: '' }), {
    message: /^2 validation errors detected: /,
  });
  fixture.stop();
});

test('executions, machines and activities are listed page by page, newest or by name', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(PASSES);
  for (const name of ['x', 'y', 'z']) {
    await fixture.ended(await fixture.start(stateMachineArn, {}, name));
    fixture.clock.advance(1000);
  }
  type List = { executions: { name: string }[]; nextToken?: string };
  const first = await fixture.call<List>('ListExecutions', { stateMachineArn, maxResults: 2 });
  const second = await fixture.call<List>('ListExecutions', {
    stateMachineArn,
    maxResults: 2,
    nextToken: first.nextToken,
  });
  assert.deepEqual(
    [...first.executions, ...second.executions].map(({ name }) => name),
    ['z', 'y', 'x'],
  );
  assert.equal(second.nextToken, undefined);
  fixture.stop();
});

test('includeExecutionData: false leaves the data out and the events in', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run(PASSES, { secret: 1 });
  await fixture.ended(executionArn);
  const page = await fixture.call<Page>('GetExecutionHistory', {
    executionArn,
    includeExecutionData: false,
  });
  assert.equal(page.events.length, 8);
  assert.ok(!JSON.stringify(page).includes('secret'));
  fixture.stop();
});

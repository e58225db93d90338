import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePattern } from '../../../local/cloud/eventbridge/match-pattern.ts';

const event = {
  source: 'aws.states',
  'detail-type': 'Step Functions Execution Status Change',
  resources: ['arn:a', 'arn:b'],
  detail: {
    status: 'FAILED',
    name: 'Report.PNG',
    count: 7,
    ratio: 0.5,
    done: true,
    error: null,
    empty: '',
    none: [],
    path: '/a/lib/b.js',
    items: [
      { sku: 'x', quantity: 1 },
      { sku: 'y', quantity: 2 },
    ],
    nested: { deep: ['p', 'q'] },
  },
};

const cases: readonly [title: string, pattern: object, matches: boolean][] = [
  ['an equal string', { source: ['aws.states'] }, true],
  ['one of several', { detail: { status: ['SUCCEEDED', 'FAILED'] } }, true],
  ['another string', { source: ['aws.ec2'] }, false],
  ['all fields must match', { source: ['aws.states'], detail: { status: ['RUNNING'] } }, false],
  ['a number', { detail: { count: [7] } }, true],
  ['a number is not its text', { detail: { count: ['7'] } }, false],
  ['a boolean', { detail: { done: [true] } }, true],
  ['null', { detail: { error: [null] } }, true],
  ['a missing field is not null', { detail: { missing: [null] } }, false],
  ['an empty string', { detail: { empty: [''] } }, true],
  ['one element of an array', { resources: ['arn:b'] }, true],
  ['an array within an object', { detail: { nested: { deep: ['q'] } } }, true],
  ['objects in an array', { detail: { items: { sku: ['y'], quantity: [2] } } }, true],
  ['not fields of two objects', { detail: { items: { sku: ['x'], quantity: [2] } } }, false],
  ['prefix', { source: [{ prefix: 'aws.' }] }, true],
  ['prefix, other', { source: [{ prefix: 'com.' }] }, false],
  ['prefix of a number', { detail: { count: [{ prefix: '7' }] } }, false],
  ['prefix, any case', { detail: { name: [{ prefix: { 'equals-ignore-case': 'REP' } }] } }, true],
  ['suffix', { detail: { name: [{ suffix: '.PNG' }] } }, true],
  ['suffix, case counts', { detail: { name: [{ suffix: '.png' }] } }, false],
  ['suffix, any case', { detail: { name: [{ suffix: { 'equals-ignore-case': '.png' } }] } }, true],
  ['equals-ignore-case', { detail: { name: [{ 'equals-ignore-case': 'report.png' }] } }, true],
  ['wildcard', { detail: { path: [{ wildcard: '*/lib/*.js' }] } }, true],
  ['wildcard, other', { detail: { path: [{ wildcard: '*/src/*' }] } }, false],
  ['wildcard must not overlap', { detail: { status: [{ wildcard: 'FAILE*LED' }] } }, false],
  ['numeric', { detail: { count: [{ numeric: ['>', 5] }] } }, true],
  ['numeric range', { detail: { count: [{ numeric: ['>', 0, '<=', 7] }] } }, true],
  ['numeric range, outside', { detail: { count: [{ numeric: ['>', 7, '<', 9] }] } }, false],
  ['numeric equals', { detail: { ratio: [{ numeric: ['=', 0.5] }] } }, true],
  ['numeric of a string', { detail: { status: [{ numeric: ['>', 0] }] } }, false],
  ['exists', { detail: { count: [{ exists: true }] } }, true],
  ['exists, null is there', { detail: { error: [{ exists: true }] } }, true],
  ['exists, missing', { detail: { missing: [{ exists: true }] } }, false],
  ['exists false, missing', { detail: { missing: [{ exists: false }] } }, true],
  ['exists false in a missing object', { other: { field: [{ exists: false }] } }, true],
  ['exists false, there', { detail: { count: [{ exists: false }] } }, false],
  ['an empty array counts as absent', { detail: { none: [{ exists: false }] } }, true],
  ['anything-but', { detail: { status: [{ 'anything-but': 'RUNNING' }] } }, true],
  ['anything-but, equal', { detail: { status: [{ 'anything-but': 'FAILED' }] } }, false],
  ['anything-but, list', { detail: { count: [{ 'anything-but': [7, 8] }] } }, false],
  ['anything-but, missing', { detail: { missing: [{ 'anything-but': 'x' }] } }, false],
  ['anything-but prefix', { detail: { name: [{ 'anything-but': { prefix: 'Rep' } }] } }, false],
  [
    'anything-but suffixes',
    { detail: { name: [{ 'anything-but': { suffix: ['.a', '.b'] } }] } },
    true,
  ],
  [
    'anything-but wildcard',
    { detail: { path: [{ 'anything-but': { wildcard: '*/lib/*' } }] } },
    false,
  ],
  [
    'anything-but ignoring case',
    { detail: { status: [{ 'anything-but': { 'equals-ignore-case': 'failed' } }] } },
    false,
  ],
  ['$or', { $or: [{ source: ['x'] }, { detail: { status: ['FAILED'] } }] }, true],
  ['$or, none', { $or: [{ source: ['x'] }, { source: ['y'] }] }, false],
  [
    '$or and a field',
    { source: ['x'], $or: [{ source: ['aws.states'] }, { source: ['y'] }] },
    false,
  ],
  ['$or within detail', { detail: { $or: [{ count: [1] }, { done: [true] }] } }, true],
];

describe('an event meets a pattern as EventBridge says', () => {
  for (const [title, pattern, matches] of cases) {
    test(`${title}: ${matches ? 'yes' : 'no'}`, () => {
      assert.equal(compilePattern(JSON.stringify(pattern))(event), matches);
    });
  }
});

const refused: readonly [pattern: string, reason: RegExp][] = [
  ['{', /not valid JSON/],
  ['[]', /not an object/],
  ['{}', /Empty objects/],
  ['{"source": "aws.states"}', /must be an object or an array at source/],
  ['{"source": []}', /Empty arrays.* at source/],
  ['{"source": [["a"]]}', /Nested arrays/],
  ['{"source": [{"prefix": 1}]}', /prefix match pattern must be a string/],
  ['{"source": [{"starts-with": "a"}]}', /Unrecognized match type starts-with/],
  ['{"source": [{"constructor": "a"}]}', /Unrecognized match type constructor/],
  ['{"source": [{"prefix": "a", "suffix": "b"}]}', /Only one key/],
  ['{"source": [{"exists": "yes"}]}', /true or false/],
  ['{"detail": {"n": [{"numeric": [">", "1"]}]}}', /must be a number.* at detail\.n/],
  ['{"detail": {"n": [{"numeric": ["<", 1, ">", 0]}]}}', /lower bound/],
  ['{"detail": {"n": [{"numeric": [">", 5, "<", 1]}]}}', /Bottom must be less than top/],
  ['{"detail": {"n": [{"anything-but": [1, "a"]}]}}', /of one kind/],
  ['{"detail": {"n": [{"wildcard": "a**b"}]}}', /Consecutive/],
  ['{"$or": [{"source": ["a"]}]}', /at least two/],
];

describe('a pattern that EventBridge refuses is refused with its reason', () => {
  for (const [pattern, reason] of refused) {
    test(pattern, () => {
      assert.throws(() => compilePattern(pattern), reason);
    });
  }
});

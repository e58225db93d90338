import assert from 'node:assert/strict';
import test from 'node:test';
import { evaluateJsonPath } from '../../../local/stepfunctions/language/jsonpath/evaluate-jsonpath.ts';
import { PathNotFoundError } from '../../../local/stepfunctions/language/jsonpath/follow-definite.ts';
import { PathFunctionError } from '../../../local/stepfunctions/language/jsonpath/evaluate-path-function.ts';
import { PathSyntaxError } from '../../../local/stepfunctions/language/jsonpath/path-reader.ts';
import { parseJsonPath } from '../../../local/stepfunctions/language/jsonpath/parse-jsonpath.ts';
import {
  parseReferencePath,
  putAt,
} from '../../../local/stepfunctions/language/jsonpath/reference-path.ts';
import type { Json } from '../../../local/stepfunctions/language/json.ts';

const input: Json = {
  book: [
    { title: 'Sayings', author: 'Nigel Rees', category: 'reference', price: 8.95 },
    { title: 'Sword', author: 'Evelyn Waugh', category: 'fiction', price: 12.99 },
    { title: 'Moby', author: 'Herman Melville', category: 'fiction', price: 8.99, isbn: '0-553' },
  ],
  limit: 10,
  'a-b': 1,
  'x y': 2,
  list: [1, 2, 3, 4, 5],
  nothing: null,
  nested: [[1, 2], [3]],
};
const roots = { input, context: () => ({ Execution: { Id: 'e' } }), variables: { v: { a: [7] } } };

function at(path: string): Json {
  return evaluateJsonPath(parseJsonPath(path), roots);
}

void test('a definite path gives the value it leads to', () => {
  assert.equal(at('$.a-b'), 1);
  assert.equal(at("$['x y']"), 2);
  assert.equal(at('$.list[-1]'), 5);
  assert.equal(at('$.nothing'), null);
  assert.equal(at('$.book[1].title'), 'Sword');
  assert.equal(at('$$.Execution.Id'), 'e');
  assert.equal(at('$v.a[0]'), 7);
  assert.deepEqual(at("$.book[0]['title','price','absent']"), { title: 'Sayings', price: 8.95 });
});

void test('an indefinite path gives the list of what it selects, empty when that is nothing', () => {
  assert.deepEqual(at('$.book[*].price'), [8.95, 12.99, 8.99]);
  assert.deepEqual(at('$..title'), ['Sayings', 'Sword', 'Moby']);
  assert.deepEqual(at('$.nested[*][0]'), [1, 3]);
  assert.deepEqual(at('$.list[1:3]'), [2, 3]);
  assert.deepEqual(at('$.list[-2:]'), [4, 5]);
  assert.deepEqual(at('$.list[::2]'), [1, 3, 5]);
  assert.deepEqual(at('$.list[0,4,9]'), [1, 5]);
  assert.deepEqual(at('$.book[*].absent'), []);
});

void test('a filter compares with literals, other paths and patterns', () => {
  assert.deepEqual(at("$.book[?(@.price < 10 && @.category == 'fiction')].title"), ['Moby']);
  assert.deepEqual(at('$.book[?(@.price <= $.limit)].title'), ['Sayings', 'Moby']);
  assert.deepEqual(at('$.book[?(@.isbn)].title'), ['Moby']);
  assert.deepEqual(at('$.book[?(!(@.isbn))].title'), ['Sayings', 'Sword']);
  assert.deepEqual(at('$.book[?(@.author =~ /.*rees/i)].title'), ['Sayings']);
  assert.deepEqual(at("$.book[?(@.category in ['reference', 'art'])].title"), ['Sayings']);
  assert.deepEqual(at('$.list[?(@ > 3 || @ == 1)]'), [1, 4, 5]);
});

void test('a function at the end is applied to what the path selects', () => {
  assert.equal(at('$.book.length()'), 3);
  assert.equal(at('$.list.sum()'), 15);
  assert.equal(at('$.list.max()'), 5);
  assert.equal(at('$.list.avg()'), 3);
});

void test('a path that leads nowhere says so in the words that AWS quotes', () => {
  assert.throws(() => at('$.absent'), new PathNotFoundError("No results for path: $['absent']"));
  assert.throws(
    () => at('$.absent.deeper'),
    new PathNotFoundError("Missing property in path $['absent']"),
  );
  assert.throws(() => at('$.list[9]'), PathNotFoundError);
  assert.throws(() => at('$.book[0].title.x'), PathNotFoundError);
  assert.throws(() => at('$unknown'), PathNotFoundError);
});

for (const path of [
  '',
  'x',
  '$.',
  '$..',
  '$[',
  '$[abc]',
  '$.a b',
  '$. a',
  '$.x[?(',
  '$.x[?(@.a == )]',
  '$.x[?(@.a =~ /(/)]',
  '$.x[?(@.a =~ /(?=a)/)]',
  '$.list[*',
  "$['a",
  '$.list[1:2:0]',
  '$.book.evil()',
  '$.$',
]) {
  void test(`the malformed path ${JSON.stringify(path)} is refused`, () => {
    assert.throws(() => parseJsonPath(path), PathSyntaxError);
  });
}

void test('names of JavaScript are no data', () => {
  assert.throws(() => at('$.constructor'), PathNotFoundError);
  assert.throws(() => at('$.__proto__'), PathNotFoundError);
  assert.equal(
    evaluateJsonPath(parseJsonPath('$.__proto__'), {
      ...roots,
      input: JSON.parse('{"__proto__":1}'),
    }),
    1,
  );
});

void test('a filter with a hostile pattern takes time linear in the text', () => {
  const hostile = { list: [`${'a'.repeat(5_000)}!`] };
  const path = parseJsonPath('$.list[?(@ =~ /^(a+)+$/)]');
  assert.deepEqual(evaluateJsonPath(path, { ...roots, input: hostile }), []);
});

void test('input nested as deep as it likes is searched without exhausting the stack', () => {
  let deep: Json = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  assert.deepEqual(evaluateJsonPath(parseJsonPath('$..absent'), { ...roots, input: deep }), []);
});

void test('ResultPath puts a value into a copy of the input, making objects on the way', () => {
  const before = { a: { b: 1 }, list: [{ x: 1 }, 2] };
  assert.deepEqual(putAt(parseReferencePath('$.a.c.d'), before, 5), {
    a: { b: 1, c: { d: 5 } },
    list: [{ x: 1 }, 2],
  });
  assert.deepEqual(putAt(parseReferencePath('$.list[0].y'), before, 5), {
    a: { b: 1 },
    list: [{ x: 1, y: 5 }, 2],
  });
  assert.deepEqual(before, { a: { b: 1 }, list: [{ x: 1 }, 2] });
  assert.equal(putAt(parseReferencePath('$'), before, 5), 5);
});

void test('ResultPath cannot be applied to what is no object, nor behind the end of a list', () => {
  assert.equal(putAt(parseReferencePath('$.x'), 'text', 1), undefined);
  assert.equal(putAt(parseReferencePath('$.x'), [1], 1), undefined);
  assert.equal(putAt(parseReferencePath('$[3]'), [1], 1), undefined);
});

for (const path of ['$..a', '$.a[*]', '$.a[?(@.b)]', '$$.a', '$v.a', '$.a.length()', '$.a[0:1]']) {
  void test(`${path} is no Reference Path`, () => {
    assert.throws(() => parseReferencePath(path), PathSyntaxError);
  });
}

void test('a path that would visit the square of a large input is given up', () => {
  const wide: Json[] = Array.from({ length: 60_000 }, (_, index) => index);
  let chain: Json = wide;
  for (let depth = 0; depth < 8_000; depth += 1) chain = [chain];
  for (const path of [
    '$..*..*',
    '$..*..*..absent',
    '$..[?(@..absent)]',
    '$..[*][?(@ in $..[0])]',
    '$..[?($..[*] == $..[*])]',
  ]) {
    const startedAt = Date.now();
    assert.throws(
      () => evaluateJsonPath(parseJsonPath(path), { ...roots, input: chain }),
      PathFunctionError,
      path,
    );
    assert.ok(Date.now() - startedAt < 15_000, `${path} took ${Date.now() - startedAt} ms`);
  }
});

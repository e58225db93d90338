import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A reporter that writes the file of each test that failed, a line each, once. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>) {
  const seen = new Set<string>();
  for await (const event of events) {
    if (event.type !== 'test:fail' || event.data.file === undefined) continue;
    const file = relative(process.cwd(), event.data.file);
    if (seen.has(file)) continue;
    seen.add(file);
    yield `${file}\n`;
  }
}

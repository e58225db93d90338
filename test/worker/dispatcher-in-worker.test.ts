// The dispatcher as the worker's own loop.
import { dispatcherTests } from './dispatcher-behaviour.ts';

await dispatcherTests({ env: {}, start: () => undefined });

// node run-peer.mjs <peer> <database url> <jobs to warm up> <jobs> <seconds>: prints what it measured as one line of JSON.
import { openSteps } from './steps.mjs';

const [peerName, url, warmUp, jobs, seconds] = process.argv.slice(2);
const steps = openSteps(url);
await steps.create();
const { open } = await import(`./${peerName}.mjs`);
const peer = await open(url, steps);
const count = Number(warmUp) + Number(jobs);

let enqueued = 0;
await enqueueUpTo(Number(warmUp));
const enqueuePerSecond = await enqueueUpTo(count);
const drainPerSecond = await drain();
await new Promise((resolve) => setTimeout(resolve, 3_000)); // restMs of peers.ts
const latencies = await atRate(50);
latencies.sort((a, b) => a - b);
const quantile = (share) => latencies[Math.floor((latencies.length - 1) * share)];
console.log(
  JSON.stringify({ enqueuePerSecond, drainPerSecond, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }),
);
// A poller that is told to stop may take its whole interval; nothing is lost in a benchmark.
setTimeout(() => process.exit(0), 5_000).unref();
await peer.close();
await steps.close();
process.exit(0);

/** Jobs a second, from those that there are up to `end`. */
async function enqueueUpTo(end) {
  const first = enqueued;
  const began = performance.now();
  const sender = async () => {
    while (enqueued < end) await peer.enqueue(enqueued++);
  };
  await Promise.all(Array.from({ length: 32 }, sender));
  return (end - first) / ((performance.now() - began) / 1_000);
}

async function drain() {
  const began = performance.now();
  await peer.work();
  while (steps.finished < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return count / ((performance.now() - began) / 1_000);
}

/** Milliseconds of each job from the enqueue's call to its fifth commit. */
async function atRate(perSecond) {
  const total = perSecond * Number(seconds);
  const began = performance.now();
  const running = [];
  for (let index = 0; index < total; index += 1) {
    const wait = began + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const n = count + index;
    const start = performance.now();
    running.push(peer.enqueue(n).then(async () => (await steps.ended(n)) - start));
  }
  return await Promise.all(running);
}

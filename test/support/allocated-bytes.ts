import { Session } from 'node:inspector/promises';

type SamplingNode = { readonly selfSize: number; readonly children: readonly SamplingNode[] };

/**
 * How many bytes `work` allocates on the heap of this thread, collected meanwhile or not: V8's sampling heap profiler
 * (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-startSampling), good to some percent where
 * it is many samples.
 */
export async function allocatedBytes(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 8_192,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await work();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return sizeOf(profile.head);
  } finally {
    session.disconnect();
  }
}

const sizeOf = ({ selfSize, children }: SamplingNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

import { trace } from '@opentelemetry/api';
import { recordSpans } from './tracing.ts';

/** Ends what is under way; spans that were not exported yet are. */
export type Tracing = { stop(): Promise<void> };

/**
 * Exports the spans of this process to an OTLP collector: called once, by a process's entry. Without an endpoint
 * nothing is recorded and the SDK is not even loaded.
 */
export async function startTracing(
  endpoint: string | undefined,
  serviceName: string,
): Promise<Tracing> {
  if (endpoint === undefined) return { stop: async () => undefined };
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: 5_000,
  });
  const provider = new TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName }),
    // A second is enough to make batches, and short enough for a function that is frozen after its answer.
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  });
  trace.setGlobalTracerProvider(provider);
  recordSpans();
  return {
    stop: async () => {
      // A collector that is away must not keep a process from stopping.
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 2_000).unref()),
      ]);
    },
  };
}

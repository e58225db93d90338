import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// The way of a job as one trace: the request, the message in SQS, each task, the call of a provider. The parent of a
// span is handed on as a W3C traceparent (in the outbox row, the message attribute, the job's row), never by what
// happens to be active: a job outlives every call. Without an SDK (start-tracing.ts) all of this does nothing, and the
// client's own traceparent goes the same way unchanged.

/** `00-<trace id>-<span id>-<flags>`, https://www.w3.org/TR/trace-context/; null: no trace. */
export type Traceparent = string | null;

const version00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The header as it may be handed on; anything else than a valid one of version 00 is left out. */
export function parseTraceparent(header: unknown): Traceparent {
  if (typeof header !== 'string') return null;
  const [, traceId = '', spanId = ''] = version00.exec(header) ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? header : null;
}

export type SpanOptions = {
  readonly parent: Traceparent;
  readonly kind: 'server' | 'producer' | 'consumer' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** Where its parent is known only after the work has begun; else it begins now. */
  readonly startedAt?: Date;
};

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

export type TracedSpan = {
  /** For what this one causes; the parent's own where nothing is recorded. */
  readonly traceparent: Traceparent;
  readonly set: (attributes: Attributes) => void;
  /** May be called once; `error` marks it as failed. */
  readonly end: (error?: unknown) => void;
};

let isRecording = false;

/** From now on spans are recorded; called when the SDK is there (start-tracing.ts). Before, a span costs nothing. */
export function recordSpans(): void {
  isRecording = true;
}

const notRecorded = (traceparent: Traceparent): TracedSpan => ({
  traceparent,
  set: () => undefined,
  end: () => undefined,
});

/** Begins a span that continues `parent`, or a new trace. */
export function startSpan(
  name: string,
  { parent, kind, attributes, startedAt }: SpanOptions,
): TracedSpan {
  if (!isRecording) return notRecorded(parent);
  const options = {
    kind: kinds[kind],
    ...(attributes === undefined ? {} : { attributes }),
    ...(startedAt === undefined ? {} : { startTime: startedAt }),
  };
  const span = trace.getTracer('pawl').startSpan(name, options, contextOf(parent));
  return {
    traceparent: traceparentOf(span) ?? parent,
    set: (more) => void span.setAttributes(more),
    end: (error) => {
      if (error !== undefined) {
        const message = error instanceof Error ? error.name : JSON.stringify(error);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      }
      span.end();
    },
  };
}

/** Does `work` within a span; what it throws marks the span and is thrown on. */
export async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: TracedSpan) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

function contextOf(parent: Traceparent): Context {
  const [, traceId, spanId, flags] = version00.exec(parent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceparentOf(span: Span): Traceparent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return parseTraceparent(
    `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0').slice(-2)}`,
  );
}

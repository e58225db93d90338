import type { Disposition } from '../jobs/dispatch/dispatch-message.ts';
import type { ReceivedMessage } from '../jobs/store/quarantine.ts';
import { inSpan, parseTraceparent } from '../jobs/tracing.ts';

type Handle = (message: ReceivedMessage) => Promise<Disposition>;

/** A span for each message that is worked on; it continues the trace that the message's attribute names. */
export const traced =
  (handle: Handle): Handle =>
  async (message) =>
    await inSpan(
      `process ${message.queue}`,
      {
        parent: parseTraceparent(message.attributes['traceparent']),
        kind: 'consumer',
        attributes: {
          'messaging.system': 'aws_sqs',
          'messaging.destination.name': message.queue,
          'messaging.message.id': message.sqsMessageId,
          'pawl.receive_count': message.receiveCount,
        },
      },
      async (span) => {
        const disposition = await handle(message);
        span.set({
          'pawl.outcome':
            disposition.kind === 'done' ? disposition.outcome : `later: ${disposition.code ?? ''}`,
        });
        return disposition;
      },
    );

import { canonicalHash } from './canonical-json.ts';
import type { EmailConfig } from './config.ts';
import { type EffectLogDeps, type EffectResult, withEffect } from './effect-log.ts';
import type { TenantId } from './ids.ts';
import type { Fence } from './store/open-run.ts';
import { sendBySmtp } from './smtp-client.ts';

/** One mail, as a task writes it down. */
export type MailCall = {
  /** From the domain, without the tenant: `order:42:confirmation-email`. */
  readonly key: string;
  readonly operation: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

type Sender = EffectLogDeps & {
  readonly email: EmailConfig;
  readonly fence: Fence;
  readonly tenantId: TenantId;
  /** For a mail that an event asks for: it is sent whatever became of the job. */
  readonly outlivesJob?: true;
};

/** Sends a mail once in effect. SMTP has no idempotency keys and cannot be asked, so the usual policy is hold. */
export async function sendMail(sender: Sender, call: MailCall): Promise<EffectResult> {
  const { fence, tenantId, email, outlivesJob } = sender;
  const { key, operation, to, subject, text } = call;
  const requestHash = canonicalHash({ to, subject, text });
  const { policy, from } = email;
  const effect = { fence, tenantId, key, provider: 'email', operation, policy, requestHash };
  return await withEffect(sender, outlivesJob === true ? { ...effect, outlivesJob } : effect, {
    call: ({ effectId, signal }) => {
      const messageId = `<${effectId}@pawl.invalid>`;
      return sendBySmtp(email.smtpUrl, { from, to, subject, text, messageId }, signal);
    },
  });
}

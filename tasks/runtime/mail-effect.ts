import { canonicalHash } from '../../jobs/canonical-json.ts';
import type { EmailConfig } from '../../jobs/config.ts';
import { type EffectLogDeps, type EffectResult, withEffect } from '../../jobs/effect-log.ts';
import type { TenantId } from '../../jobs/ids.ts';
import type { Fence } from '../../jobs/store/open-run.ts';
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
};

/** Sends a mail once in effect. SMTP has no idempotency keys and cannot be asked, so the usual policy is hold. */
export async function sendMail(sender: Sender, call: MailCall): Promise<EffectResult> {
  const { fence, tenantId, email } = sender;
  const { key, operation, to, subject, text } = call;
  const requestHash = canonicalHash({ to, subject, text });
  const { policy, from } = email;
  return await withEffect(
    sender,
    { fence, tenantId, key, provider: 'email', operation, policy, requestHash },
    {
      call: ({ effectId, signal }) => {
        const messageId = `<${effectId}@pawl.invalid>`;
        return sendBySmtp(email.smtpUrl, { from, to, subject, text, messageId }, signal);
      },
    },
  );
}

import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** How the mail stand-in treats a mail; mail.ts tells what each word does. */
const shape = Type.Object(
  {
    answer: Type.Enum(['ok', 'fail', 'drop', 'refuse', 'greylist', 'unknown']),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    delayMs: Type.Integer({ minimum: 0, maximum: 600_000 }),
    times: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  { additionalProperties: false },
);
export type MailBehaviour = Static<typeof shape>;

export const GOOD_MAIL: MailBehaviour = { answer: 'ok', status: 451, delayMs: 0, times: null };

/** Parses the JSON text of a request; what it leaves out is as in GOOD_MAIL. Throws, naming the field, otherwise. */
export function parseMailBehaviour(text: string): MailBehaviour {
  const given: unknown = JSON.parse(text);
  const whole: unknown = { ...GOOD_MAIL, ...Object(given) };
  if (Value.Check(shape, whole)) return whole;
  const [problem] = Value.Errors(shape, whole);
  throw new Error(`behaviour${problem?.instancePath ?? ''} ${problem?.message ?? 'is not valid'}`);
}

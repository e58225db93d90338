import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** How a provider answers; see webhook.ts. */
export interface Behaviour {
  readonly honourKeys: boolean;
  readonly answer: 'ok' | 'fail' | 'drop' | 'refuse';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs: number;
  /** How many requests it holds for; null = until told otherwise. */
  readonly times: number | null;
}

export const GOOD_BEHAVIOUR: Behaviour = {
  honourKeys: true,
  answer: 'ok',
  status: 500,
  headers: {},
  delayMs: 0,
  times: null,
};

const shape = Type.Object(
  {
    honourKeys: Type.Optional(Type.Boolean()),
    answer: Type.Optional(
      Type.Union([
        Type.Literal('ok'),
        Type.Literal('fail'),
        Type.Literal('drop'),
        Type.Literal('refuse'),
      ]),
    ),
    status: Type.Optional(Type.Integer({ minimum: 300, maximum: 599 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    times: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  },
  { additionalProperties: false },
);

/** Parses the JSON text of a request; what it leaves out is as in GOOD_BEHAVIOUR. Throws, naming the field, otherwise. */
export function parseBehaviour(text: string): Behaviour {
  const given: unknown = JSON.parse(text);
  if (!Value.Check(shape, given)) {
    const [problem] = Value.Errors(shape, given);
    throw new Error(
      `behaviour${problem?.instancePath ?? ''} ${problem?.message ?? 'is not valid'}`,
    );
  }
  return { ...GOOD_BEHAVIOUR, ...given };
}

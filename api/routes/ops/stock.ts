import { Type } from 'typebox';
import { listStock, setStock } from '../../../jobs/store/stock.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { problemResponses } from '../../schemas.ts';

const line = Type.Object({
  sku: Type.String(),
  available: Type.Integer(),
  unitPrice: Type.Integer({ description: 'whole rupiah' }),
});

/** GET /ops/stock and PUT /ops/stock/:sku: what order-settlement may reserve, and at which price. */
export function stock(api: Api, { sql }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  api.get(
    '/ops/stock',
    {
      config,
      schema: {
        operationId: 'listStock',
        tags,
        summary: 'See what is in stock',
        response: { 200: Type.Object({ stock: Type.Array(line) }), ...problemResponses },
      },
    },
    async () => ({ stock: await listStock(sql) }),
  );
  api.put(
    '/ops/stock/:sku',
    {
      config,
      schema: {
        operationId: 'setStock',
        tags,
        summary: 'Set what is in stock of an article, and its price',
        description:
          'What orders have reserved already is not counted in `available`, and stays theirs at the price they named.',
        params: Type.Object({
          sku: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' }),
        }),
        body: Type.Object(
          {
            available: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
            unitPrice: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
          },
          { additionalProperties: false },
        ),
        response: { 200: line, ...problemResponses },
      },
    },
    async (request) => {
      const { sku } = request.params;
      const { available, unitPrice } = request.body;
      return await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'stock.set',
          target: `stock/${sku}`,
          reason: 'stock was set',
          details: { available, unitPrice },
        },
        async () => await setStock(sql, { sku, available, unitPrice }),
        () => 'set',
      );
    },
  );
}

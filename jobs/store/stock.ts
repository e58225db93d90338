import type { Sql } from './connect.ts';

export type StockLine = {
  readonly sku: string;
  readonly available: number;
  /** Whole units of the shop's currency. */
  readonly unitPrice: number;
};

/** Sets what is in stock of an article, and its price. Orders that are reserved already keep what they have. */
export async function setStock(sql: Sql, line: StockLine): Promise<StockLine> {
  const [stored] = await sql<StockLine[]>`
    insert into stock (sku, available, unit_price) values (${line.sku}, ${line.available}, ${line.unitPrice})
    on conflict (sku) do update set
      available = excluded.available, unit_price = excluded.unit_price, updated_at = now()
    returning ${columns(sql)}`;
  return stored ?? line;
}

/** Puts an article into an empty shop; changes nothing where it is there. */
export async function stockUp(sql: Sql, line: StockLine): Promise<void> {
  await sql`
    insert into stock (sku, available, unit_price) values (${line.sku}, ${line.available}, ${line.unitPrice})
    on conflict (sku) do nothing`;
}

export async function listStock(sql: Sql): Promise<StockLine[]> {
  return await sql<StockLine[]>`select ${columns(sql)} from stock order by sku`;
}

const columns = (sql: Sql) => sql`sku, available, unit_price::float8 as "unitPrice"`;

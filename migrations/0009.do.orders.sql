-- The shop of order-settlement. Money is whole units of its currency (rupiah have no smaller coin in use).
create table stock (
  sku        text primary key,
  -- What may still be reserved: never below zero, whatever runs at the same moment.
  available  integer not null check (available >= 0),
  unit_price bigint not null check (unit_price > 0),
  updated_at timestamptz not null default now()
);

-- An order as it stands. RESERVED: its stock is set aside and a payment is asked for; RELEASED: given back.
create table orders (
  tenant_id         text not null,
  order_id          text not null,
  -- Grows with every change; whoever changes it says which version he saw.
  version           integer not null default 1,
  status            text not null check (status in ('RESERVED', 'PAID', 'RELEASED')),
  job_id            uuid not null,
  content_hash      text not null check (content_hash ~ '^[0-9a-f]{64}$'),
  customer_email    text not null,
  currency          text not null,
  amount            bigint not null check (amount > 0),
  items             jsonb not null,
  -- 1, 2, …: a decline or a void ends an attempt, a restart of the job opens the next.
  payment_attempt   integer not null default 1 check (payment_attempt >= 1),
  callback_id       text not null unique,
  payment_reference text,
  paid_at           timestamptz,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  primary key (tenant_id, order_id),
  constraint paid_orders_say_by_what check ((status = 'PAID') = (payment_reference is not null and paid_at is not null))
);
create index orders_of_job on orders (job_id);

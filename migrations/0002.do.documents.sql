-- What document-metadata knows of each document: the newest version only; an older one never overwrites it.
create table documents (
  tenant_id    text not null,
  document_id  text not null,
  version      bigint not null check (version >= 1),
  sha256       text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  content_type text not null,
  bytes        bigint not null check (bytes >= 0),
  metadata     jsonb not null,
  job_id       uuid not null,
  updated_at   timestamptz not null default now(),
  primary key (tenant_id, document_id)
);

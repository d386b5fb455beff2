-- Webhooks: who is told of what, each event once, and one line for each subscription that it is owed to (docs/decisions/0017).

create table webhook (
  workspace_id bigint not null references workspace (id),
  id uuid not null,
  name text not null,
  url text not null,
  -- The URL's host and port: calls that go there share a bulkhead.
  host text not null,
  events text[] not null,
  -- False: nothing new is owed to it and nothing that is owed is sent; the journal stays.
  enabled boolean not null default true,
  -- Sealed under the master key.
  secret bytea not null,
  -- The one before, signed with as well until then.
  previous_secret bytea,
  previous_until timestamptz,
  -- Since when every attempt failed; null once one succeeds.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Hidden since, and listening to nothing, while its journal is deleted.
  deleted_at timestamptz,
  primary key (workspace_id, id)
);

-- Order of commit within a workspace: a number is taken behind the lock that readers wait for (db/events.ts).
create sequence event_order;

-- What happened, as it is sent: the bytes of the body, once. Kept thirty days.
create table event (
  workspace_id bigint not null,
  id uuid not null,
  place bigint not null,
  type text not null,
  -- A test's own: nobody else is told of it.
  test boolean not null default false,
  body text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index event_place on event (workspace_id, place);

-- The journal, and the work: one line for each event and subscription (docs/states.md). It carries no foreign key: it is written
-- on hot paths, and a line whose subscription has gone is dropped by whoever finds it.
create table webhook_delivery (
  workspace_id bigint not null,
  webhook_id uuid not null,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  test boolean not null default false,
  -- Begun so far, by whomever.
  attempts integer not null default 0,
  -- Rungs of the ladder that were used up.
  failures smallint not null default 0,
  -- From when it may be claimed; while it is claimed, when the lease ends; null: nothing is to be done.
  next_at timestamptz,
  is_leased boolean not null default false,
  -- Grows with each claim; a write that carries an older one is of a holder that was given up.
  fence integer not null default 0,
  -- Claims whose end nobody saw.
  losses smallint not null default 0,
  response_status integer,
  response_body text,
  error text,
  duration_ms integer,
  -- Each attempt: {attempt, at, status, error, duration_ms}, the last fifty.
  attempt_log jsonb not null default '[]',
  created_at timestamptz not null,
  last_attempt_at timestamptz,
  primary key (workspace_id, webhook_id, event_id)
) with (fillfactor = 70);
create index webhook_delivery_due on webhook_delivery (workspace_id, webhook_id, next_at) where next_at is not null;

alter table workspace add column disables_failing_webhooks boolean not null default false;

-- RFC 9562 5.7: a time in milliseconds, a count of those that share a statement, and random bits.
create function facteur_event_id(at timestamptz, place bigint) returns uuid
  language sql volatile parallel safe
  return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(place % 4096), 3, '0')
          || substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid;

-- A log with one more attempt; the last fifty are kept.
create function facteur_log_attempt(log jsonb, attempt integer, at timestamptz, status integer, error text, duration_ms integer) returns jsonb
  language sql stable parallel safe
  return (case when jsonb_array_length(log) >= 50 then log - 0 else log end) || jsonb_build_array(jsonb_build_object(
    'attempt', attempt, 'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', status, 'error', error,
    'duration_ms', duration_ms));

-- The least identifier of an event that happened at that time or later.
create function facteur_events_from(at timestamptz) returns uuid
  language sql stable parallel safe
  return (lpad(to_hex(greatest(0, (extract(epoch from at) * 1000)::bigint)), 12, '0') || repeat('0', 20))::uuid;

-- Undoes the statement that calls it when somebody listens to one of these types: what changes states without publishing says
-- so, and is then done again by one that publishes (core/webhooks/telling.ts).
create function facteur_unheard(tenant bigint, types text[]) returns boolean
  language plpgsql volatile as $$
begin
  if exists (select from webhook where workspace_id = tenant and events && types) then
    raise exception using errcode = 'FA002', message = 'Somebody listens';
  end if;
  return true;
end $$;

-- What the planner knows before there is anything to know (0002).
insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());
insert into event (workspace_id, id, place, type, body, created_at)
select 0, gen_random_uuid(), n, 'email.sent', repeat('x', 1900), facteur_now() from generate_series(1, 40) n;
insert into webhook_delivery (workspace_id, webhook_id, event_id, type, next_at, error, created_at)
select 0, (md5((place % 8)::text))::uuid, id, type, created_at + place * interval '1 second', repeat('x', 1900), created_at from event;
analyze event, webhook_delivery;
delete from webhook_delivery;
delete from event;
delete from workspace where id = 0;
delete from plan where name = '';

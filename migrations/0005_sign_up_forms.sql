-- Sign-up forms, what visitors wrote into them until it is confirmed, and the brakes on how much they may ask.

create table sign_up_form (
  workspace_id bigint not null,
  id uuid not null,
  -- The heading of its page.
  name text not null,
  -- Shown under the heading; null is nothing.
  intro text,
  -- What a visitor agrees to, kept with each consent; null is ours, in the visitor's language.
  consent text,
  -- What is asked beside the address, in its order: [{"field": "firstName" | "lastName" | "fields.<key>", "label": text | null}].
  asks json not null default '[]',
  -- What a person who came by this form is tagged with.
  tags text[] not null default '{}',
  enabled boolean not null default true,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- What a visitor sent. The page answers before anybody looks at whose address it is; a worker does, and what the person has
-- not confirmed yet changes nothing about them.
create table sign_up (
  workspace_id bigint not null,
  id uuid not null,
  form_id uuid not null,
  -- The whole address, lower-cased.
  email text not null,
  first_name text,
  last_name text,
  fields jsonb not null default '{}',
  tags text[] not null default '{}',
  -- The words that the visitor agreed to.
  shown text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  -- When a worker looks at it; null once the person was asked to confirm.
  next_at timestamptz,
  -- What the person was asked (consent); null until then.
  consent_id uuid,
  primary key (workspace_id, id)
);
create index sign_up_next on sign_up (workspace_id, next_at) where next_at is not null;
create index sign_up_asked on sign_up (workspace_id, consent_id) where consent_id is not null;
create index sign_up_age on sign_up (workspace_id, created_at);

-- Sign-ups taken within an hour: in a workspace by all visitors together (bucket ''), and in workspace 0 by one network.
create table sign_up_brake (
  workspace_id bigint not null,
  bucket text not null,
  since timestamptz not null,
  taken integer not null,
  primary key (workspace_id, bucket)
) with (fillfactor = 50);

-- What the planner knows before there is anything to know (see 0002).
insert into sign_up (workspace_id, id, form_id, email, shown, created_at, next_at, consent_id)
select 0, gen_random_uuid(), gen_random_uuid(), n::text, '', facteur_now() + n * interval '1 second',
  case when n % 2 = 0 then facteur_now() + n * interval '1 second' end, case when n % 2 = 1 then gen_random_uuid() end
from generate_series(1, 5000) n;

insert into sign_up_form (workspace_id, id, name, created_at)
select 0, id, email, created_at from sign_up where workspace_id = 0;

insert into sign_up_brake (workspace_id, bucket, since, taken)
select 0, email, created_at, 1 from sign_up where workspace_id = 0;

analyze sign_up, sign_up_form, sign_up_brake;

delete from sign_up_brake where workspace_id = 0;
delete from sign_up_form where workspace_id = 0;
delete from sign_up where workspace_id = 0;

do $$ declare name text; begin
  foreach name in array array['sign_up', 'sign_up_form', 'sign_up_brake'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;

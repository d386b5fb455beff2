create table topic (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  description text,
  -- Whether a contact who never chose gets its campaigns. It never changes.
  by_default boolean not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
create unique index topic_name on topic (workspace_id, lower(name));
create table topic_choice (
  workspace_id bigint not null,
  topic_id uuid not null,
  subscriber_id uuid not null,
  subscribed boolean not null,
  chosen_at timestamptz not null,
  primary key (workspace_id, topic_id, subscriber_id),
  -- An erasure by a process of the previous version deletes the choices too.
  foreign key (workspace_id, subscriber_id) references subscriber (workspace_id, id) on delete cascade
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
create index topic_choice_of_subscriber on topic_choice (workspace_id, subscriber_id);
create table choice_evidence (
  workspace_id bigint not null,
  id uuid not null,
  subscriber_id uuid not null,
  act text not null,
  -- The topic's name when it was chosen; null: another choice.
  topic text,
  -- The words beside the choice, and the choice.
  shown text not null,
  source text not null,
  ip text,
  user_agent text,
  -- The campaign whose link led to the page.
  campaign_id uuid,
  at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, subscriber_id) references subscriber (workspace_id, id) on delete cascade
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
create index choice_evidence_of_subscriber on choice_evidence (workspace_id, subscriber_id, id);
-- The language that the contact chose, fr or en; null: none.
alter table subscriber add column if not exists language text;
-- The topics that it asks for, in their order.
alter table sign_up_form add column topics uuid[] not null default '{}';
-- What the visitor chose of the form's topics: by identifier, true or false. Null: nothing.
alter table sign_up add column topics jsonb;
-- The topic that it is for; null: none, so that it goes to everybody subscribed.
alter table campaign add column topic_id uuid;
-- The name that the topic had at the freeze, and how many who left it were left out.
alter table campaign add column topic_name text;
alter table campaign add column topic_left bigint;
-- A process of the previous version knows no topics, and would send to those who left: it may not.
alter table campaign add constraint campaign_of_topic_is_frozen
  check (topic_id is null or topic_name is not null or status in ('draft', 'scheduled', 'archived')) not valid;

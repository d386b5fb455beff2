-- The results of a thousand messages or so of a day, as they were last counted: mail_day is the sum of its parts. A look counts
-- only the parts that may have changed (docs/decisions/0057).
create table mail_part (
  workspace_id bigint not null,
  -- As in mail_day.
  day date not null,
  -- The messages with identifiers from `from_id` on and before `to_id`. The last part of a day ends with it.
  from_id uuid not null,
  to_id uuid not null,
  -- When its newest message was accepted; of the last part of a day when the day ends.
  ends_at timestamptz not null,
  delivered bigint not null,
  bounced bigint not null,
  complained bigint not null,
  failed bigint not null,
  waiting bigint not null,
  counted_at timestamptz not null,
  primary key (workspace_id, day, from_id)
);

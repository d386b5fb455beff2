-- What an operator has yet to decide after a restore, and what event files say has left since the backup.

-- Workspaces of a restored database that wait for `facteur restore release` or `discard`. Until then delivery events of older mail
-- and our own notices wait too. known_sent: recipients of single mails that an event file says have left.
create table undecided_workspace (
  workspace_id bigint primary key,
  held_at timestamptz not null,
  known_sent int not null default 0
);

-- Held campaigns of which an event file names mail: how many recipients were pending in the backup and have it. 0: the campaign was
-- only scheduled in the backup, and began since.
create table known_campaign (
  workspace_id bigint not null,
  campaign_id uuid not null,
  known_sent int not null default 0,
  primary key (workspace_id, campaign_id)
);

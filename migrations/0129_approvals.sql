-- Which operations of a workspace need a second member's approval. No row: none.
create table approval_rule (
  workspace_id bigint not null,
  operation text not null,
  -- Above so many: recipients, say. By so many percent the number may be larger than the approved one.
  above bigint not null,
  growth_percent integer not null,
  primary key (workspace_id, operation)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
-- What a member asked another one to approve. A later request takes its place; the audit log has them all.
create table approval (
  workspace_id bigint not null,
  operation text not null,
  subject_id uuid not null,
  -- Of all that the operation would do. It counts for no other content.
  digest text not null,
  quantity bigint not null,
  -- What else the request named, such as the versions of segments.
  details json not null,
  asked_by uuid not null,
  asked_by_email text not null,
  asked_at timestamptz not null,
  approved_by uuid,
  approved_by_email text,
  approved_at timestamptz,
  primary key (workspace_id, operation, subject_id),
  constraint approval_by_another check (approved_by <> asked_by)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
-- The address of the member who last chose its audience or topic. Null: a program or a command did, or nobody.
alter table campaign add column audience_changed_by text;
-- Of its content and audience at the freeze at that time.
alter table campaign add column content_digest text;
alter table campaign add column digested_at timestamptz;
create trigger campaign_approval before update of status on campaign for each row
  when (new.status = 'sending' and old.status in ('draft', 'scheduled') and new.digested_at is distinct from new.frozen_at)
  execute function facteur_refuse_unapproved();

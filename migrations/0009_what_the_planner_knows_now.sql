-- What the planner knows of the ledger's tables, better than 0002 taught it: that a workspace has thousands of rows, that many of
-- them may wait, and that a key names one (docs/decisions/0007). The rows are of workspace 0, and go again.

-- Few, and one of them goes along with each claim: it is not looked for among all that wait.
create index recipient_troubled on recipient (workspace_id, lane, next_at) where state = 'pending' and troubles > 0;
create index due_next on due (lane, next_at);

insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
select 0, gen_random_uuid(), '{}', '', jsonb_build_object('n', n), n::text, facteur_now() + n * interval '1 second', '2000-01-01'
from generate_series(1, 5000) n;

insert into message_body (workspace_id, message_id, html)
select 0, id, '' from message where workspace_id = 0;

insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, sent_at, troubles)
select 0, id, 0, 'to', message_id, message_id,
  (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'])[1 + message_id::int % 6],
  (array['pending', 'leased', 'in_doubt', 'settled'])[1 + message_id::int % 4],
  'transactional', created_at, created_at, message_id::int % 3
from message where workspace_id = 0;

insert into attachment (workspace_id, message_id, position, content)
select 0, id, 0, '' from message where workspace_id = 0;

insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
select 0, message_id, '\x', '{}', created_at from message where workspace_id = 0;

insert into suppression (workspace_id, email, id, reason, created_at)
select 0, message_id, id, 'manual', created_at from message where workspace_id = 0;

-- No address is a number.
insert into platform_suppression (email, id, reason, created_at)
select message_id, id, 'manual', created_at from message where workspace_id = 0;

insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_kind, feedback_at)
select 0, gen_random_uuid(), id, 0, '', '', '', created_at, 'delivered', created_at from message where workspace_id = 0;

insert into feedback (workspace_id, source, source_id, message_id, position, kind, received_at)
select 0, '', message_id, id, 0, 'delivered', created_at from message where workspace_id = 0;

analyze message, message_body, recipient, attachment, idempotency_key, suppression, platform_suppression, captured_mail, feedback;

delete from feedback where workspace_id = 0;
delete from captured_mail where workspace_id = 0;
delete from platform_suppression where email in (select message_id from message where workspace_id = 0);
delete from suppression where workspace_id = 0;
delete from idempotency_key where workspace_id = 0;
delete from attachment where workspace_id = 0;
delete from recipient where workspace_id = 0;
delete from message_body where workspace_id = 0;
delete from message where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

-- Until there are thousands of our own, nothing comes to count again and finds a table all but empty.
do $$ declare name text; begin
  foreach name in array array['message', 'message_body', 'recipient', 'attachment', 'idempotency_key', 'suppression',
                              'platform_suppression', 'captured_mail', 'feedback'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;

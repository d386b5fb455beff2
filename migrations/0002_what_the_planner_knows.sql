-- What the planner knows before there is anything to know.
--
-- Plans are made once a connection, perhaps while the tables are empty (docs/decisions/0007). Of an empty table PostgreSQL
-- assumes a handful of rows for each workspace: reading all of a workspace's rows then looks as cheap as looking up one by
-- its key. Forty rows of one workspace are written, counted and taken away: from then on it knows that a workspace has many
-- rows and a key names one. They are too few for autovacuum to come and forget it before there are rows of our own.

insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
select 0, gen_random_uuid(), '{}', repeat('x', 1900), '{"a":"b"}', n::text, facteur_now() + n * interval '1 second', '2000-01-01'
from generate_series(1, 40) n;

insert into message_body (workspace_id, message_id, html)
select 0, id, repeat('x', 1900) from message;

insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, sent_at, error)
select 0, id, 0, 'to', message_id, message_id, 'delivered', 'settled', 'transactional', created_at, created_at, repeat('x', 1900) from message;

insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
select 0, repeat('x', 1900) || n, '\x', '{}', facteur_now() from generate_series(1, 40) n;

insert into suppression (workspace_id, email, id, reason, source_id, created_at)
select 0, n::text, gen_random_uuid(), 'manual', repeat('x', 1900), facteur_now() from generate_series(1, 40) n;

insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
select 0, gen_random_uuid(), id, 0, repeat('x', 1900), '', '', created_at from message;

insert into feedback (workspace_id, source, source_id, message_id, position, kind, detail, received_at)
select 0, '', message_id, id, 0, 'delivered', repeat('x', 1900), created_at from message;

analyze message, message_body, recipient, idempotency_key, suppression, captured_mail, feedback;

delete from feedback;
delete from captured_mail;
delete from suppression;
delete from idempotency_key;
delete from recipient;
delete from message_body;
delete from message;
delete from workspace where id = 0;
delete from plan where name = '';

-- outside a transaction
-- Reports and the notices that held them, by the time at which they came. Their keys get that time; the service looks for a
-- report of the same name before it stores one, with its recipient locked.
create unique index concurrently if not exists feedback_by_time on feedback (workspace_id, source, source_id, received_at);
do $$ begin
  if to_regclass('feedback_by_time') is not null and (select relkind from pg_class where oid = 'feedback'::regclass) = 'r' then
    alter table feedback drop constraint feedback_pkey, add constraint feedback_pkey primary key using index feedback_by_time;
  end if;
end $$;
call facteur_partition('feedback', 'received_at');

create unique index concurrently if not exists raw_notice_by_time on raw_notice (workspace_id, source, id, received_at);
do $$ begin
  if to_regclass('raw_notice_by_time') is not null and (select relkind from pg_class where oid = 'raw_notice'::regclass) = 'r' then
    alter table raw_notice drop constraint raw_notice_pkey, add constraint raw_notice_pkey primary key using index raw_notice_by_time;
  end if;
end $$;
call facteur_partition('raw_notice', 'received_at');

-- outside a transaction
-- The causes (0043) of recipients that failed before: some thousand rows at a time, while processes of both versions go on.

do $$
declare of record; wrong text; seen uuid; last uuid;
begin
  for of in select id from workspace loop
    foreach wrong in array array['bounced', 'complained', 'failed'] loop
      seen := '00000000-0000-0000-0000-000000000000';
      loop
        with span as materialized (
          select message_id from recipient
          where workspace_id = of.id and status = wrong and message_id > seen order by message_id limit 5000
        ), filled as (
          update recipient set cause = facteur_failure_cause(error)
          where workspace_id = of.id and message_id in (select message_id from span) and error is not null and cause is null
        )
        select message_id into last from span order by message_id desc limit 1;
        commit;
        exit when last is null;
        seen := last;
      end loop;
    end loop;
  end loop;
end $$;

do $$
declare of record; seen uuid; last uuid;
begin
  for of in select workspace_id, id from campaign loop
    seen := '00000000-0000-0000-0000-000000000000';
    loop
      with span as materialized (
        select subscriber_id from campaign_recipient
        where workspace_id = of.workspace_id and campaign_id = of.id and error is not null and subscriber_id > seen
        order by subscriber_id limit 5000
      ), filled as (
        update campaign_recipient set cause = facteur_failure_cause(error)
        where workspace_id = of.workspace_id and campaign_id = of.id and subscriber_id in (select subscriber_id from span) and cause is null
      )
      select subscriber_id into last from span order by subscriber_id desc limit 1;
      commit;
      exit when last is null;
      seen := last;
    end loop;
  end loop;
end $$;

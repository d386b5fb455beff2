-- outside a transaction
-- An installation that is upgraded applies the default limits a week later: until then nothing expires that no operator and no owner
-- limited, so that there is time to choose. Null: they apply.
alter table installation add column if not exists retention_from timestamptz;
update installation set retention_from = facteur_now() + interval '7 days' where retention_from is null and exists (select from message);

create or replace function facteur_retention_waits() returns boolean language sql stable parallel safe as $$
  select coalesce(facteur_now() < (select retention_from from installation), false)
$$;

-- As in 0061.
create or replace function facteur_stored_since(tenant bigint, name text, default_days integer) returns timestamptz
  language sql stable parallel safe as $$
  select greatest(facteur_now() - make_interval(days => least(i.days, w.days)), i.gone_before, w.gone_before)
  from (
    select case when r.class is not null then r.days when not facteur_retention_waits() then default_days end as days, r.gone_before
    from (values (name)) c (class) left join retention r on r.class = c.class
  ) i
  left join workspace_retention w on w.workspace_id = tenant and w.class = name
$$;

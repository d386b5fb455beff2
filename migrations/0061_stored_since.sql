-- The moment before which data of a class has expired in a workspace; null: nothing has. It is that of src/db/retention/retention-limits.ts,
-- for statements that read data of one class. `default_days`: the limit of a class without a row.
create function facteur_stored_since(tenant bigint, name text, default_days integer) returns timestamptz
  language sql stable parallel safe as $$
  select greatest(facteur_now() - make_interval(days => least(i.days, w.days)), i.gone_before, w.gone_before)
  from (
    select case when r.class is null then default_days else r.days end as days, r.gone_before
    from (values (name)) c (class) left join retention r on r.class = c.class
  ) i
  left join workspace_retention w on w.workspace_id = tenant and w.class = name
$$;

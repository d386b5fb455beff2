-- global tables only
-- Notes how many contacts came to a status, and left it. Triggers note it because a process of the previous version does not know
-- the tally. One row for each status of a statement, and two for each contact whose status changes.
create function facteur_tally_statuses() returns trigger language plpgsql as $$
declare
  today date := (facteur_now() at time zone 'UTC')::date;
  counted record;
begin
  for counted in
    select c.workspace_id, c.status, case when tg_op = 'INSERT' then count(*) else -count(*) end as change
    from changed c
    -- Workspace 0 has the rows by which the planner knows a table: they come and go.
    where c.workspace_id > 0
    group by c.workspace_id, c.status
    order by c.workspace_id, c.status
  loop
    insert into subscriber_status_tally (workspace_id, status, day, change)
    values (counted.workspace_id, counted.status, today, counted.change);
  end loop;
  return null;
end $$;
create function facteur_tally_status_change() returns trigger language plpgsql as $$
declare
  today date := (facteur_now() at time zone 'UTC')::date;
begin
  insert into subscriber_status_tally (workspace_id, status, day, change)
  values (old.workspace_id, old.status, today, -1), (new.workspace_id, new.status, today, 1);
  return null;
end $$;

-- global tables only
-- A process of the previous version knows no audience, and would freeze such a campaign for everybody: the change is refused. The version
-- after the next drops the triggers with this function.
create function facteur_refuse_everybody() returns trigger language plpgsql as $$
begin
  raise exception 'campaign % has an audience, which this version of the service does not know', new.id using errcode = 'check_violation';
end $$;

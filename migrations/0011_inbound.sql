-- Mails that the operator's `doctor` sent to itself and that came back: seen once, then deleted by whoever waited, or after a day.
-- It belongs to no workspace.
create table inbound_probe (
  id uuid primary key,
  arrived_at timestamptz not null
);

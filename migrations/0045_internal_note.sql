-- What a workspace notes about a campaign for itself: it is no part of the mail. Null: nothing.
alter table campaign add column internal_note text;

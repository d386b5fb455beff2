-- What the user said that words of a status column mean: [{"word": …, "meaning": …}].
alter table import_file add column status_words jsonb not null default '[]';

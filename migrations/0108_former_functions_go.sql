-- outside a transaction
-- What the views and triggers that went with 0107 left behind. A file of its own: triggers of every cell had called these functions.
drop function if exists facteur_unheard(bigint, text[]);
drop function if exists facteur_note_cause();
drop function if exists facteur_failure_cause(text);

-- The origins of pages that may sign people up by the form's JSON address.
alter table sign_up_form add column origins text[] not null default '{}';
-- Where a visitor goes after signing up, and after confirming; null: our own page.
alter table sign_up_form add column thanks_url text;
alter table sign_up_form add column confirmed_url text;

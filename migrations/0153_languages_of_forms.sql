-- The language of the form's page and mail, where all its visitors get the same.
alter table sign_up_form add column if not exists language text;

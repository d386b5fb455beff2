-- The first start chooses the language. Installations of before spoke French unless a setting said otherwise.
alter table installation add column language text not null default 'fr' check (language in ('fr', 'en'));

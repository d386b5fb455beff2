-- The check that no webhook names one of these types has a name of the field; the version before calls the former name.
alter function facteur_unheard(bigint, text[]) rename to facteur_require_unsubscribed;

create function facteur_unheard(tenant bigint, types text[]) returns boolean
  language sql volatile as $$ select facteur_require_unsubscribed(tenant, types) $$;

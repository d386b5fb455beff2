-- Fields from before have their identifiers too.
update subscriber_field set id = gen_random_uuid() where id is null;

-- outside a transaction
-- Texts and files of messages, by the time in the message's identifier.
call facteur_partition('message_body', 'message_id');
call facteur_partition('attachment', 'message_id');

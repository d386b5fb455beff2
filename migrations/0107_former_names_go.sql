-- outside a transaction
-- The views with the names of before 0047 to 0050, and the triggers that gave a cause to texts of the version before 0043. No process
-- that may run beside this version reads the former or writes the latter (docs/decisions/0051). Statement by statement: Citus hands the
-- whole text of a query to the node of a cell (docs/decisions/0060), and drops no trigger there without the setting.
drop view if exists campaign_visit_count;
drop view if exists person, person_link, membership, session, passkey, passkey_challenge, audit_entry, sign_in_brake, sign_up_brake,
  erased_person, subscriber_unsearched, image, feedback_raw, domain_record, visit, campaign_mishap, campaign_silence, consent,
  subscriber_file, subscriber_file_piece, suppression_import, campaign_progress;
set citus.enable_unsafe_triggers = 'on';
drop trigger if exists recipient_cause on recipient;
drop trigger if exists campaign_recipient_cause on campaign_recipient;
reset citus.enable_unsafe_triggers;

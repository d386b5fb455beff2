-- Settings that people change in the pages of a workspace: what a record should be given what is there, how a sign-up form looks.

-- What should be there, given what the last look found; null until it is looked at again.
alter table domain_record add column expected text;

alter table sign_up_form
  -- {"background": "#rrggbb", "text": "#rrggbb", "button": "#rrggbb"}; null is ours, light and dark.
  add column colours json,
  -- The workspace's own words of the mail that asks to confirm: {"subject", "text", "button"}, each null for ours.
  add column mail json,
  -- When its author last changed it; null: never.
  add column updated_at timestamptz;

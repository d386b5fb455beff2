-- Null: nobody has opened it on a page. A mail comes unread, so that its capture writes nothing more.
alter table captured_mail add column read_at timestamptz;

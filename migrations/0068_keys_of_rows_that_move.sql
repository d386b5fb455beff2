-- A key without the time (0066) would lead to all versions of its row, and each move would be compared with all of them.
alter table campaign_run drop constraint campaign_run_pkey, add constraint campaign_run_pkey primary key using index campaign_run_newest;
alter table batch_sender drop constraint batch_sender_pkey, add constraint batch_sender_pkey primary key using index batch_sender_newest;
alter table request_rate drop constraint request_rate_pkey, add constraint request_rate_pkey primary key using index request_rate_newest;

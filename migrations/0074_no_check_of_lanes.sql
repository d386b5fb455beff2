-- 0064 brought a check back that 0008 had taken off the ledger: it is read anew for each statement and made for each row.
alter table recipient drop constraint if exists recipient_lane_check;

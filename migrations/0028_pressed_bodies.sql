-- Bodies of 2 to 4 KB are pressed again, and stay in their row: pages and log to be written cost more than the pressing (docs/decisions/0027).
alter table message_body alter column html set storage main, alter column text set storage main, reset (toast_tuple_target);

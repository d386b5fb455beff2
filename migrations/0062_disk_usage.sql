-- How many bytes each class of data took at the last look of each day, so that the growth is known.
create table disk_usage (
  day date not null,
  class text not null,
  bytes bigint not null,
  measured_at timestamptz not null,
  primary key (day, class)
);

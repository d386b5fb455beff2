-- The record by which a domain asks for TLS reports (RFC 8460 3) is looked up with the others.
alter table dns_record drop constraint if exists dns_record_purpose_check;
alter table dns_record drop constraint if exists domain_record_purpose_check;
alter table dns_record add constraint dns_record_purpose_check
  check (purpose in ('dkim', 'return_path', 'spf', 'dmarc', 'tls_reports', 'tracking')) not valid;

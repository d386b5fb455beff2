-- outside a transaction
-- A report names a domain, or the host of its return paths, and no workspace.
create index concurrently if not exists domain_by_name on domain (name);
create index concurrently if not exists domain_by_return_path_host on domain (return_path_host) where return_path_host is not null;

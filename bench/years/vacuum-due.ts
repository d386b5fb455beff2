/**
 * Vacuums the tables that autovacuum would have vacuumed: those with more dead rows than their
 * settings allow.
 */
import type pg from 'pg'

export async function vacuumDue(client: pg.Client): Promise<void> {
  await client.query('select pg_stat_force_next_flush()')
  const { rows } = await client.query<{ name: string }>(`
    select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    cross join lateral (
      select max(option_value::float8) filter (where option_name = 'autovacuum_vacuum_scale_factor') as scale,
        max(option_value::float8) filter (where option_name = 'autovacuum_vacuum_threshold') as threshold
      from pg_options_to_table(c.reloptions)
    ) o
    where s.n_dead_tup > coalesce(o.threshold, current_setting('autovacuum_vacuum_threshold')::float8)
      + coalesce(o.scale, current_setting('autovacuum_vacuum_scale_factor')::float8) * greatest(c.reltuples, 0)`)
  for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`)
}

/** Settings of each session on the server. */
import { homeSchema, searchPathOf } from './search-path.ts'

/**
 * Generic plans that do not depend on the tables' contents: every statement uses its indexes, row
 * by row. A plan made while the tables were empty must still be right when they hold millions.
 * Planning once also saves more time than execution takes (docs/decisions/0007).
 */
export function sessionOptions({
  durable = true,
  schema = homeSchema,
}: {
  durable?: boolean
  schema?: string
}): string {
  const settings = {
    synchronous_commit: durable ? 'on' : 'off',
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
    ...(schema !== homeSchema && { search_path: searchPathOf(schema) }),
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/**
 * On nodes of Citus: it places a statement by the values of its parameters, so that it cannot plan
 * all of them without.
 */
export const planForCitus = `
  select set_config('plan_cache_mode', 'auto', false) from pg_extension where extname = 'citus'`

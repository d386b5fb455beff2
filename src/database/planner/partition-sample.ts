/**
 * Inserts the sample of a partitioned table into one of its partitions, with keys of the
 * partition's time (planner-statistics.ts).
 */
/** Rows that stand for those of a grown table. */
export interface PlannerSample {
  /** Default 5,000. */
  rows?: number
  columns: string
  /** The values of the row `n`, from 1 on. */
  values: string
  /** Rows of another table that a foreign key asks for. */
  parent?: { table: string; insert: string }
}

/** By table. */
export type PlannerSamples = Readonly<Record<string, PlannerSample & { rows: number }>>

/** Enough that the planner prefers a look-up by key: a partition of a quiet day stays small. */
export const partitionSampleRows = 500

type Ask = (text: string) => Promise<{ rows: object[] }>

interface PartitionKey {
  column: string
  type: string
  /** As the catalog writes it: `FOR VALUES FROM (…) TO (…)`, or `DEFAULT`. */
  bound: string
}

/**
 * In a transaction, which deletes the rows again. A partition that is not attached yet takes any
 * time.
 */
export async function insertPartitionSample(
  ask: Ask,
  {
    table,
    partition,
    sample,
  }: { table: string; partition: string; sample: PlannerSamples[string] },
): Promise<void> {
  const { rows } = await ask(`
    select a.attname as column, a.atttypid::regtype::text as type, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join pg_partitioned_table p on p.partrelid = i.inhparent
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where i.inhrelid = '${partition}'::regclass`)
  // The catalog has one row for a partition, and none before it is attached.
  const [key] = rows as PartitionKey[]
  await ask(`create temp table planner_sample (like ${table} including defaults) on commit drop`)
  await ask(
    `
      insert into planner_sample (${sample.columns})
      select ${sample.values}
      from generate_series(1, ${Math.min(sample.rows, partitionSampleRows)}) n`,
  )
  if (key) await ask(`update planner_sample set ${key.column} = ${keyWithin(key)}`)
  await ask(`insert into ${partition} select * from planner_sample`)
  await ask('drop table planner_sample')
}

/**
 * The sample's key with a time of the partition. No partition has the times that the default one
 * gets.
 */
function keyWithin({ column, type, bound }: PartitionKey): string {
  const [, from] = /FROM \('([^']+)'\)/.exec(bound) ?? []
  const isDefault = bound === 'DEFAULT'
  if (type === 'uuid') {
    const time = from?.slice(0, 14) ?? (isDefault ? 'ffffffff-ffff-' : '00000000-0000-')
    return `('${time}' || substr(${column}::text, 15))::uuid`
  }
  return `timestamptz '${from ?? (isDefault ? '9999-01-01' : '2000-01-01')}' + random() * interval '1 hour'`
}

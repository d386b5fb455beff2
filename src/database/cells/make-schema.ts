/**
 * Makes the tables of a cell from the catalog of `public`, which has what this installation's
 * migrations made of it (docs/decisions/0060-cells.md).
 *
 * 1. Read: what PostgreSQL prints without a schema while `public` is searched alone.
 * 2. Run it with the cell's search path: a name finds what is of the cell there, and what is global
 *    behind it.
 */
import type pg from 'pg'
import { searchPathOf } from '../client/search-path.ts'
import { readSourceSchema } from '../schema/source-schema.ts'

/**
 * In a transaction. `hasNodes`: a trigger may run on another server, which knows no search path of
 * this session.
 */
export async function makeSchema(
  client: pg.ClientBase,
  schema: string,
  { hasNodes }: { hasNodes: boolean },
): Promise<void> {
  await client.query('set local search_path = public')
  const source = await readSourceSchema(client)
  await client.query(`create schema ${schema}`)
  await client.query(`set local search_path = ${searchPathOf(schema)}`)
  if (hasNodes)
    for (const definition of source.functions) await client.query(ofSchema(definition, schema))
  for (const statement of source.statements)
    // A node receives a cell by logical replication, which knows no unlogged table.
    await client.query(
      hasNodes ? statement.replace(/^create unlogged table /, 'create table ') : statement,
    )
}

/** A function that reads tables of the cell wherever it runs. */
const ofSchema = (definition: string, schema: string): string =>
  definition
    .replace('CREATE OR REPLACE FUNCTION public.', `CREATE FUNCTION ${schema}.`)
    .replace('\nAS ', `\n SET search_path TO ${searchPathOf(schema)}\nAS `)

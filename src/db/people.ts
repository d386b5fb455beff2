/** People who sign in, by their address. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** Null: somebody has this address already. */
export async function insertPerson(db: Database, person: { id: string; email: string; name: string }): Promise<string | null> {
  const [row] = await db.rows<{ id: string }>(sql`
    insert into person (id, email, name) values (${person.id}, ${person.email}, ${person.name})
    on conflict (email) do nothing returning id`)
  return row?.id ?? null
}

export interface PersonRow {
  id: string
  email: string
  name: string
  language: 'fr' | 'en' | null
}

export async function findPerson(db: Database, id: string): Promise<PersonRow> {
  const [row] = await db.rows<PersonRow>(sql`select id, email, name, language from person where id = ${id}`)
  if (!row) throw new Error('The person is gone')
  return row
}

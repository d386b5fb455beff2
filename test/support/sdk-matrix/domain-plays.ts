/** `domains.*`. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/client/sql.ts'
import { has, type Plays, type World } from './play.ts'

interface Stored {
  name: string
  path: string | null
  selectors: string[]
}

const stored = ({ api, shop }: World): Promise<Stored[]> =>
  api.service.db.rows<Stored>(sql`
    select d.name, d.return_path_host as path,
      array(select selector from domain_key where workspace_id = d.workspace_id and domain = d.name) as selectors
    from domain d where workspace_id = ${shop.id} order by d.name`)

const namesOf = (data: unknown): unknown =>
  Array.from(Object(data).data, (item) => Object(item).name).toSorted()

/** Every key that the database has is a record to set. */
function hasRecords(data: unknown, item: Stored | undefined): void {
  assert.ok(item)
  has(data, { id: item.name, name: item.name })
  const names: string[] = Array.from(Object(data).records, (record) => Object(record).name)
  for (const selector of item.selectors)
    assert.ok(names.includes(`${selector}._domainkey.${item.name}`), names.join(' '))
}

export const domainPlays: Plays = {
  'domains.create POST /domains': async (world) => {
    const name = 'matrix.example'
    return {
      args: [{ name, customReturnPath: 'back' }],
      async compare(data) {
        const row = (await stored(world)).find((item) => item.name === name)
        assert.equal(row?.path, `back.${name}`)
        hasRecords(data, row)
      },
    }
  },
  'domains.list GET /domains': (world) =>
    Promise.resolve({
      args: [],
      async compare(data) {
        const rows = await stored(world)
        assert.deepEqual(
          namesOf(data),
          rows.map(({ name }) => name),
        )
      },
    }),
  'domains.get GET /domains/{id}': (world) =>
    Promise.resolve({
      args: [world.shop.domain],
      async compare(data) {
        const rows = await stored(world)
        hasRecords(
          data,
          rows.find(({ name }) => name === world.shop.domain),
        )
      },
    }),
  'domains.verify POST /domains/{id}/verify': async (world) => {
    const checkedAt = async (): Promise<Date | null> =>
      world.api.service.db.value<Date>(sql`
        select checked_at from domain where workspace_id = ${world.shop.id} and name = ${world.shop.domain}`)
    const before = await checkedAt()
    return {
      args: [world.shop.domain],
      async compare(data) {
        has(data, { object: 'domain', id: world.shop.domain })
        assert.notDeepEqual(await checkedAt(), before)
      },
    }
  },
}

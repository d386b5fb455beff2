/** Compares the set that the compiler selects with that of the plain evaluator. */
import assert from 'node:assert/strict'
import type { Condition } from '../../../src/contract/segments.ts'
import { sql, unprepared } from '../../../src/database/client/sql.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import { allowSweeps } from '../../../src/database/planner/allow-sweeps.ts'
import { selectedBy } from '../../../src/db/audience/segments/segment-members.ts'
import { tagsIn } from '../../../src/core/audience/segments/map-single.ts'
import { undatedCampaigns } from '../../../src/db/audience/engagement-dates.ts'
import { tagSpellings } from '../../../src/db/audience/segments/tag-spellings.ts'
import { isInSegment, type PlainContact } from './plain-evaluator.ts'
import { worldAt, worldFields, worldZone } from './segment-world.ts'

const fields = new Map(
  worldFields.map(({ id, key, type, choices }) => [id, { key, type, choices: [...choices] }]),
)

/** The identifiers that the compiled definition selects, in order. */
export async function selectedIds(
  db: Connection,
  workspaceId: number,
  definition: Condition,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const context = {
      ...{ workspaceId, fields, timeZone: worldZone, at: worldAt },
      tags: await tagSpellings(tx, workspaceId, tagsIn([definition])),
      undated: await undatedCampaigns(tx, workspaceId),
    }
    const long = await allowSweeps(tx, 60_000)
    return tx.column<string>(
      long(unprepared(sql`select s.id from ${selectedBy({ context, definition })} order by s.id`)),
    )
  })
}

/** Throws where the two sets differ; answers the share that is selected. */
export async function compareSets(
  db: Connection,
  { workspaceId, contacts }: { workspaceId: number; contacts: PlainContact[] },
  definition: Condition,
): Promise<number> {
  const reading = { timeZone: worldZone, at: worldAt }
  const expected = contacts.filter((contact) => isInSegment(contact, definition, reading))
  const selected = await selectedIds(db, workspaceId, definition)
  assert.deepEqual(selected, expected.map(({ id }) => id).toSorted(), JSON.stringify(definition))
  return selected.length / contacts.length
}

/** How many definitions selected none, all, and which tenths between. */
export function describeShares(shares: number[]): string {
  const between = shares.filter((share) => share > 0 && share < 1)
  const tenths = Array.from(
    { length: 10 },
    (_, tenth) => between.filter((share) => Math.floor(share * 10) === tenth).length,
  )
  const count = (share: number): number => shares.filter((each) => each === share).length
  return `none ${count(0)}, all ${count(1)}, by tenths between ${tenths.join(' ')}`
}

/**
 * The compiler selects exactly the contacts that a plain evaluator does, which shares nothing with
 * it. `FACTEUR_TEST_SEED=7 npm test -- FILE` draws others.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../../src/contract/segments.ts'
import { freshDatabase } from '../../../support/database.ts'
import { compareSets, describeShares, selectedIds } from '../../../support/segments/compare-sets.ts'
import { drawDefinition } from '../../../support/segments/draw-definition.ts'
import { isInSegment } from '../../../support/segments/plain-evaluator.ts'
import { worldAt, worldZone } from '../../../support/segments/segment-world.ts'
import { segmentWorld } from '../../../support/segments/world-of.ts'

const seed = Number(process.env['FACTEUR_TEST_SEED'] ?? 1)
const { url, connection: db } = await freshDatabase()
const world = await segmentWorld(url, { seed, size: 400 })

/** As drawn: with every key that a condition has. */
const asDefinition = (drawn: Record<string, unknown>): Condition => drawn as unknown as Condition

test('150 drawn definitions select the evaluator’s contacts: none, all and in between', async (t) => {
  const shares: number[] = []
  for (let round = 0; round < 150; round++)
    shares.push(await compareSets(db, world, asDefinition(drawDefinition(world.draw))))
  t.diagnostic(`Seed ${seed}: ${describeShares(shares)}`)
  assert.ok(shares.includes(0) && shares.includes(1))
  assert.ok(shares.filter((share) => share > 0 && share < 1).length > 50)
})

test('groups of nothing: all and none hold for everybody, any for nobody', async () => {
  for (const [definition, share] of [
    [{ all: [] }, 1],
    [{ none: [] }, 1],
    [{ any: [] }, 0],
    [{ all: [{ none: [] }, { any: [{ all: [] }] }] }, 1],
  ] as const)
    assert.equal(await compareSets(db, world, asDefinition(definition)), share)
})

const dayOf = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at)

/** The day of UTC that somebody was added on, while the workspace still had the one before. */
const [tomorrow = ''] = world.contacts.flatMap(({ created }) =>
  dayOf(created, 'UTC') === dayOf(created, worldZone) ? [] : [dayOf(created, 'UTC')],
)

/** What a wrong reading of the rules would select: each differs from the compiler. */
const broken = [
  ['none of nothing', { none: [] }],
  ['is_not of absent', { field: '00000000-0000-4000-8000-000000000001', is_not: 'Paris' }],
  ['case', { field: '00000000-0000-4000-8000-000000000001', is: 'éVRY' }],
  ['zone', { created: { before: tomorrow } }],
  ['days to come', { field: '00000000-0000-4000-8000-000000000003', within_days: 2 }],
  ['relays', { opened: { never: true, by: 'person' } }],
] as const

for (const [variant, definition] of broken)
  test(`a broken variant is caught: ${variant}`, async () => {
    const reading = { timeZone: worldZone, at: worldAt, broken: variant }
    const wrong = world.contacts.filter((contact) => isInSegment(contact, definition, reading))
    const selected = await selectedIds(db, world.workspaceId, asDefinition(definition))
    assert.notDeepEqual(selected, wrong.map(({ id }) => id).toSorted())
    await compareSets(db, world, asDefinition(definition))
  })

/**
 * 10,000 contacts and 500 drawn definitions: the compiler selects exactly what the plain evaluator
 * does. `FACTEUR_TEST_SEED=7 npm test -- FILE` draws others.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../../src/contract/segments.ts'
import { freshDatabase } from '../../../support/database.ts'
import { compareSets, describeShares } from '../../../support/segments/compare-sets.ts'
import { drawDefinition } from '../../../support/segments/draw-definition.ts'
import { segmentWorld } from '../../../support/segments/world-of.ts'

const seed = Number(process.env['FACTEUR_TEST_SEED'] ?? 1)
const { url, connection: db } = await freshDatabase()

test('500 definitions over 10,000 contacts select none, all and in between as the evaluator does', async (t) => {
  const world = await segmentWorld(url, { seed, size: 10_000 })
  const shares: number[] = []
  for (let round = 0; round < 500; round++) {
    const definition = drawDefinition(world.draw) as unknown as Condition
    shares.push(await compareSets(db, world, definition))
  }
  t.diagnostic(`Seed ${seed}: ${describeShares(shares)}`)
  const between = shares.filter((share) => share > 0 && share < 1)
  assert.ok(shares.includes(0) && shares.includes(1) && between.length > 200)
})

/** Places of the webhook lane: a host that is slow takes none of those that others need. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHostSlots } from '../../src/entrypoints/workers/host-slots.ts'
import type { HostPlace } from '../../src/entrypoints/workers/host-slots.ts'

let nowMs = 0
const clock = { monotonicMs: () => nowMs }

/** Takes all that are free for a host, and begins them. */
function takeAll(places: ReturnType<typeof createHostSlots>, host: string): { place: HostPlace; begun: Promise<boolean> }[] {
  return Array.from({ length: places.free(host) }, () => {
    const place = places.take(host)
    return { place, begun: place.begin() }
  })
}

/** Makes a host known as quick. */
function prove(places: ReturnType<typeof createHostSlots>, host: string, calls: number): void {
  for (let n = 0; n < calls; n++) {
    const place = places.take(host)
    void place.begin()
    place.end()
  }
}

test('a host begins with four, and has more claimed ahead once it is quick', () => {
  const places = createHostSlots(clock)
  assert.equal(places.free('a'), 4)
  prove(places, 'a', 2)
  assert.equal(places.free('a'), 24)
})

test('hosts that hang share half of the places at most; a quick one has the rest', () => {
  const places = createHostSlots(clock)
  prove(places, 'quick', 3)
  let hanging = 0
  for (let n = 0; n < 100; n++) hanging += takeAll(places, `hangs-${n}`).length
  assert.equal(hanging, 128)
  assert.ok(places.free('quick') > 0)
})

test('a host that turns slow keeps one call, and those that wait for it are given back', async () => {
  const places = createHostSlots(clock)
  prove(places, 'a', 1)
  const all = takeAll(places, 'a')
  assert.equal(all.length, 20)
  nowMs += 15_000
  assert.ok(places.isSlow('a'))
  all[0]?.place.end()
  const begun = await Promise.all(all.map((one) => one.begun))
  assert.equal(begun.filter(Boolean).length, 5)
  for (const { place } of all.slice(1)) place.end()
  assert.equal(places.held(), 0)
  assert.equal(places.free('a'), 1)
  prove(places, 'a', 1)
  assert.ok(places.free('a') > 1, 'and recovers')
})

test('calls that wait begin as others end; after the close none begins', async () => {
  const places = createHostSlots(clock)
  prove(places, 'a', 1)
  const all = takeAll(places, 'a')
  all[0]?.place.end()
  assert.equal(await all[5]?.begun, true)
  places.close()
  assert.equal(await all.at(-1)?.begun, false)
})

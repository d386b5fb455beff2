/** Places of the webhook lane: a host that is slow takes none of those that others need. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHostSlots, type HostSlot } from '../../src/entrypoints/workers/host-slots.ts'

let nowMs = 0
const clock = { monotonicMs: () => nowMs }

/** Takes all that are free for a host, and begins them. */
function takeAll(
  slots: ReturnType<typeof createHostSlots>,
  host: string,
): { slot: HostSlot; started: Promise<boolean> }[] {
  return Array.from({ length: slots.free(host) }, () => {
    const slot = slots.take(host)
    return { slot, started: slot.begin() }
  })
}

/** Makes a host known as quick. */
function prove(slots: ReturnType<typeof createHostSlots>, host: string, calls: number): void {
  for (let n = 0; n < calls; n++) {
    const slot = slots.take(host)
    void slot.begin()
    slot.end()
  }
}

test('a host begins with four slots, and more are claimed ahead once it is quick', () => {
  const slots = createHostSlots(clock)
  assert.equal(slots.free('a'), 4)
  prove(slots, 'a', 2)
  assert.equal(slots.free('a'), 24)
})

test('hosts that hang share half of the slots at most; a quick one has the rest', () => {
  const slots = createHostSlots(clock)
  prove(slots, 'quick', 3)
  let hanging = 0
  for (let n = 0; n < 100; n++) hanging += takeAll(slots, `hangs-${n}`).length
  assert.equal(hanging, 128)
  assert.ok(slots.free('quick') > 0)
})

test('a host that turns slow has one call, and waiting ones are given back', async () => {
  const slots = createHostSlots(clock)
  prove(slots, 'a', 1)
  const all = takeAll(slots, 'a')
  assert.equal(all.length, 20)
  nowMs += 15_000
  assert.ok(slots.isSlow('a'))
  all[0]?.slot.end()
  const started = await Promise.all(all.map((item) => item.started))
  assert.equal(started.filter(Boolean).length, 5)
  for (const { slot } of all.slice(1)) slot.end()
  assert.equal(slots.leased(), 0)
  assert.equal(slots.free('a'), 1)
  prove(slots, 'a', 1)
  assert.ok(slots.free('a') > 1, 'and recovers')
})

test('calls that wait begin as others end; after the close none begins', async () => {
  const slots = createHostSlots(clock)
  prove(slots, 'a', 1)
  const all = takeAll(slots, 'a')
  all[0]?.slot.end()
  assert.equal(await all[5]?.started, true)
  slots.close()
  assert.equal(await all.at(-1)?.started, false)
})

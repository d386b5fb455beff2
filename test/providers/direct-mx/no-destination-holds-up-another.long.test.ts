/** No destination holds up another: tarpits, storms of 421, greylisting, hosts that are down. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock, type Clock } from '../../../src/ground/clock.ts'
import type { Resolve } from '../../../src/ground/dns/lookup.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import type { Outcome } from '../../../src/providers/provider.ts'
import type { Script } from '../../support/scripted-peer.ts'
import { send, sharedMemory, startMxWorld } from '../../support/mx-world.ts'
import { until } from '../../support/until.ts'

const world = await startMxWorld()
const scripts = new Map<string, Script>()
const addresses = {
  healthy: '127.0.0.1',
  tarpit: '127.0.0.2',
  storm: '127.0.0.3',
  grey: '127.0.0.4',
  flaky: '127.0.0.5',
  early: '127.0.0.6',
  late: '127.0.0.7',
}
const peers = Object.fromEntries(
  await Promise.all(
    Object.entries(addresses).map(async ([name, address]) => {
      world.domain(`${name}.test`, [address])
      return [name, await world.host(address, { script: (at) => scripts.get(name)?.(at) })] as const
    }),
  ),
)
const kinds = (outcomes: Outcome[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(outcomes, ({ kind }) => kind)].map(([kind, list]) => [kind, list.length]),
  )

/** Never comes: no hand-off waits for a tarpit. */
const slowly = Promise.withResolvers<void>()

for (const [title, script] of [
  ['says nothing after the connection', ({ phase }) => (phase === 'greet' ? 'hang' : undefined)],
  ['says nothing after the final dot', ({ phase }) => (phase === 'dot' ? 'hang' : undefined)],
  [
    'takes long for each answer',
    ({ phase }) => (phase === 'rcpt' ? { say: '250 ok', after: slowly.promise } : undefined),
  ],
] as [string, Script][]) {
  test(`a tarpit that ${title}: mail beyond its slots is postponed at once, and a healthy domain gets all its mail meanwhile`, async (t) => {
    const provider = world.provider()
    t.after(() => provider.close(0))
    await send(provider, 'first@healthy.test')
    scripts.set('tarpit', script)
    const taken = peers['tarpit']?.mails.length
    const list = Array.from({ length: 1_000 }, (_, n) =>
      send(provider, `${n}@tarpit.test`, { bulk: true }),
    )
    // Most are answered before anything else happens; what is inside stays a part of the places.
    assert.deepEqual(kinds(await Promise.all(list.slice(40))), { postponed: 960 })
    assert.ok(provider.free() > 200, String(provider.free()))
    for (let n = 0; n < 1_000; n++)
      assert.equal((await send(provider, `${n}@healthy.test`)).kind, 'accepted')
    assert.equal(peers['tarpit']?.mails.length, taken, 'the tarpit has taken none by then')
    scripts.delete('tarpit')
  })
}

/** A clock that stands still but for what a test lets pass. */
function stillClock(): { clock: Clock; pass(ms: number): void } {
  let passedMs = 0
  const clock = { ...systemClock, monotonicMs: () => passedMs }
  return { clock, pass: (ms) => void (passedMs += ms) }
}

let tarpits = 0
/** A tarpit of its own: domains with one host name share a destination. */
function nextTarpit(): string {
  const domain = `pit${++tarpits}.test`
  world.domain(domain, ['127.0.0.2'])
  return domain
}

for (const [title, script] of [
  ['greets nobody', ({ phase }) => (phase === 'greet' ? 'hang' : undefined)],
  ['is silent after RCPT', ({ phase }) => (phase === 'rcpt' ? 'hang' : undefined)],
] as [string, Script][]) {
  test(`four hundred tarpits of which each ${title}: they hold their share, and quick destinations keep theirs`, async (t) => {
    const { clock, pass } = stillClock()
    const provider = world.provider({ clock })
    t.after(() => provider.close(0))
    await send(provider, 'first@healthy.test')
    scripts.set('tarpit', script)
    const outcomes: Outcome[] = []
    const hold = (domain: string): void =>
      void send(provider, `you@${domain}`, { bulk: true }).then((outcome) => outcomes.push(outcome))
    for (let n = 1; n <= 400; n++) {
      hold(nextTarpit())
      // All at once, their questions would overflow the socket of the name server.
      if (n % 20 === 0) assert.equal((await send(provider, `${n}@healthy.test`)).kind, 'accepted')
    }
    await until(() => outcomes.length >= 400 - 288)
    assert.ok(
      outcomes.every(({ kind }) => kind === 'postponed'),
      JSON.stringify(outcomes.find(({ kind }) => kind !== 'postponed')),
    )
    assert.ok(provider.free() >= 230, String(provider.free()))
    for (let n = 0; n < 200; n++)
      assert.equal((await send(provider, `${n}@healthy.test`)).kind, 'accepted')
    // Silent for long, they give their places back before their time-outs of minutes: a new
    // destination gets one.
    pass(31_000)
    world.domain('fresh.test', ['127.0.0.1'])
    await until(async () => (await send(provider, 'you@fresh.test')).kind === 'accepted')
    assert.ok(
      outcomes.every(({ kind }) => kind === 'postponed' || kind === 'returned'),
      JSON.stringify(kinds(outcomes)),
    )
    scripts.delete('tarpit')
  })
}

/** For domains whose name servers are silent; those that answer are known to a provider before. */
const impatientResolver = () =>
  createResolver({ servers: [world.dns.address], timeoutMs: 300, clock: systemClock })

test('name servers of two hundred domains are silent: their mail waits for none of them longer than a moment, and others pass', async (t) => {
  const provider = world.provider({ resolver: impatientResolver() })
  t.after(() => provider.close(0))
  await send(provider, 'first@healthy.test')
  const silent = Array.from({ length: 200 }, (_, n) => `mute${n}.test`)
  for (const domain of silent) world.dns.misbehave(domain, 'hang')
  const list = silent.flatMap((domain) =>
    Array.from({ length: 5 }, (_, n) => send(provider, `${n}@${domain}`, { bulk: true })),
  )
  for (let n = 0; n < 100; n++)
    assert.equal((await send(provider, `${n}@healthy.test`)).kind, 'accepted')
  for (const { kind } of await Promise.all(list))
    assert.ok(kind === 'deferred' || kind === 'postponed', kind)
  for (const domain of silent) world.dns.misbehave(domain, null)
})

test('421 after the third mail: fewer connections and a pause, and no rate of a trickle afterwards', async (t) => {
  const memory = sharedMemory()
  const { clock, pass } = stillClock()
  const provider = world.provider({ memory, clock })
  t.after(() => provider.close(0))
  for (let n = 0; n < 3; n++)
    assert.equal((await send(provider, `${n}@early.test`)).kind, 'accepted')
  scripts.set('early', ({ phase }) =>
    phase === 'rcpt' ? '421 4.7.0 too many messages, slow down' : undefined,
  )
  await Promise.all(Array.from({ length: 10 }, (_, n) => send(provider, `${n}@early.test`)))
  scripts.delete('early')
  pass(20_000)
  assert.equal((await send(provider, '1@early.test')).kind, 'accepted')
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `${n}@early.test`)),
  )
  assert.deepEqual(kinds(outcomes), { accepted: 30 })
})

test('421 in the first greeting: no rate of a trickle is set, and the first answer afterwards lets it go as fast as it can', async (t) => {
  const memory = sharedMemory()
  const { clock, pass } = stillClock()
  const provider = world.provider({ memory, clock })
  t.after(() => provider.close(0))
  scripts.set('early', ({ phase }) =>
    phase === 'greet' ? '421 4.7.0 try again later, too many connections' : undefined,
  )
  assert.partialDeepStrictEqual(await send(provider, '0@early.test'), {
    kind: 'deferred',
    phase: 'greet',
    code: 421,
  })
  assert.ok(
    memory.reports.every(({ throttle }) => throttle === null),
    JSON.stringify(memory.reports),
  )
  scripts.delete('early')
  pass(5_100)
  assert.equal((await send(provider, '1@early.test')).kind, 'accepted')
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `${n}@early.test`)),
  )
  assert.deepEqual(kinds(outcomes), { accepted: 30 })
})

test('a destination that says nothing for three seconds: a list for it comes back one behind the other, not all at once', async (t) => {
  const { clock, pass } = stillClock()
  const provider = world.provider({ clock })
  t.after(() => provider.close(0))
  scripts.set('tarpit', ({ phase }) => (phase === 'greet' ? 'hang' : undefined))
  const requests = peers['tarpit']?.requests.length
  for (let n = 0; n < 5; n++) void send(provider, `${n}@tarpit.test`, { bulk: true })
  await until(() => peers['tarpit']?.requests.length !== requests)
  pass(4_000)
  const list = await Promise.all(
    Array.from({ length: 500 }, (_, n) => send(provider, `${n}@tarpit.test`, { bulk: true })),
  )
  assert.deepEqual(kinds(list), { postponed: 500 })
  const waits = list.map((outcome) => (outcome.kind === 'postponed' ? outcome.afterMs : 0))
  assert.ok(
    (waits[0] ?? 0) >= 4_000 && (waits.at(-1) ?? 0) > 200_000,
    `${waits[0]} to ${waits.at(-1)}`,
  )
  assert.ok(waits.slice(1).every((wait, at) => wait > (waits[at] ?? 0)))
  const single = await send(provider, 'single@tarpit.test')
  assert.ok(
    single.kind === 'postponed' && single.afterMs < 2_000,
    'who is waited for is not put behind the list',
  )
  scripts.delete('tarpit')
})

test('the longer a destination has said nothing, the later a campaign comes back; a single mail does not wait for that', async (t) => {
  const { clock, pass } = stillClock()
  const provider = world.provider({ clock })
  t.after(() => provider.close(0))
  scripts.set('tarpit', ({ phase }) => (phase === 'greet' ? 'hang' : undefined))
  const requests = peers['tarpit']?.requests.length
  // Single mails fill its line, which has room for a few more of them than of a campaign.
  for (let n = 0; n < 50; n++) void send(provider, `${n}@tarpit.test`)
  await until(() => peers['tarpit']?.requests.length !== requests)
  pass(2_000)
  const list = await Promise.all(
    Array.from({ length: 50 }, (_, n) => send(provider, `${n}@tarpit.test`, { bulk: true })),
  )
  for (const outcome of list)
    assert.ok(
      outcome.kind === 'postponed' && outcome.afterMs >= 2_000 && outcome.afterMs < 6_000,
      JSON.stringify(outcome),
    )
  const single = await send(provider, 'single@tarpit.test')
  assert.ok(single.kind === 'postponed' && single.afterMs < 2_000, JSON.stringify(single))
  scripts.delete('tarpit')
})

test('one conversation hangs, and a minute passes without mail: the destination is as quick as before', async (t) => {
  const { clock, pass } = stillClock()
  const provider = world.provider({ clock })
  t.after(() => provider.close(0))
  scripts.set('late', ({ phase, line }) =>
    phase === 'rcpt' && line.includes('hangs@') ? 'hang' : undefined,
  )
  const before = peers['late']?.mails.length ?? 0
  for (let n = 0; n < 20; n++) void send(provider, `${n}@late.test`, { bulk: true })
  void send(provider, 'hangs@late.test', { bulk: true })
  await until(() => (peers['late']?.mails.length ?? 0) >= before + 10)
  await until(() =>
    peers['late']?.requests.some(({ lines }) => lines.some((line) => line.includes('hangs@'))),
  )
  pass(60_000)
  const burst = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `again${n}@late.test`, { bulk: true })),
  )
  assert.deepEqual(kinds(burst), { accepted: 30 })
  scripts.delete('late')
})

test('a destination answers again after a silence: a campaign does not wait for times that it was given before', async (t) => {
  const { clock, pass } = stillClock()
  const provider = world.provider({ clock })
  t.after(() => provider.close(0))
  const answers = Promise.withResolvers<void>()
  for (let n = 0; n < 10; n++)
    assert.equal((await send(provider, `${n}@late.test`)).kind, 'accepted')
  scripts.set('late', ({ phase }) =>
    phase === 'rcpt' ? { say: '250 ok', after: answers.promise } : undefined,
  )
  const requests = peers['late']?.requests.length
  const withheld = Array.from({ length: 5 }, (_, n) =>
    send(provider, `held${n}@late.test`, { bulk: true }),
  )
  await until(() => (peers['late']?.requests.length ?? 0) > (requests ?? 0))
  pass(30_000)
  const list = await Promise.all(
    Array.from({ length: 500 }, (_, n) => send(provider, `${n}@late.test`, { bulk: true })),
  )
  assert.ok(
    list.some((outcome) => outcome.kind === 'postponed' && outcome.afterMs > 600_000),
    'the list was given late times',
  )
  answers.resolve()
  scripts.delete('late')
  assert.equal(kinds(await Promise.all(withheld))['accepted'], 5)
  const again = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `again${n}@late.test`, { bulk: true })),
  )
  const waits = again.map((outcome) => (outcome.kind === 'postponed' ? outcome.afterMs : 0))
  assert.ok(Math.max(...waits) > 0 && Math.max(...waits) < 500_000, JSON.stringify(waits))
})

test('a hundred destinations that cannot be reached: the open connection of another one is kept', async (t) => {
  const provider = world.provider()
  t.after(() => provider.close(0))
  await send(provider, '1@healthy.test')
  const requests = peers['healthy']?.requests.length
  for (let n = 0; n < 100; n++) {
    world.domain(`unreachable${n}.test`, ['127.0.0.91'])
    assert.equal((await send(provider, `you@unreachable${n}.test`)).kind, 'deferred')
  }
  assert.equal((await send(provider, '2@healthy.test')).kind, 'accepted')
  assert.equal(peers['healthy']?.requests.length, requests)
})

test('a storm of 421 at RCPT: fewer connections, then nothing for a while, for that destination alone', async (t) => {
  const memory = sharedMemory()
  const provider = world.provider({ memory, clock: stillClock().clock })
  t.after(() => provider.close(0))
  for (let n = 0; n < 12; n++)
    assert.equal((await send(provider, `${n}@storm.test`)).kind, 'accepted')
  scripts.set('storm', ({ phase }) =>
    phase === 'rcpt' ? '421 4.7.0 too many messages, slow down' : undefined,
  )
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `${n}@storm.test`)),
  )
  assert.ok((kinds(outcomes)['deferred'] ?? 0) >= 3, JSON.stringify(kinds(outcomes)))
  const throttle = memory.reports.find((learned) => learned.throttle !== null)?.throttle
  assert.ok(
    throttle && throttle.perSecond <= 6 && throttle.connections <= 2,
    JSON.stringify(throttle),
  )
  const requests = peers['storm']?.requests.length
  const after = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `${n}@storm.test`)),
  )
  assert.deepEqual(kinds(after), { postponed: 30 })
  assert.equal(peers['storm']?.requests.length, requests, 'nobody knocks while it is left alone')
  assert.match(JSON.stringify(after[0]), /slow down/, 'with what was said last')
  for (const outcome of outcomes)
    if (outcome.kind === 'deferred') assert.equal(outcome.slower, false)
  assert.equal((await send(provider, 'you@healthy.test')).kind, 'accepted')
})

test('421 in the greeting of further connections: those that are open go on, and no more are opened', async (t) => {
  const provider = world.provider()
  t.after(() => provider.close(0))
  scripts.set('flaky', ({ phase, connection }) =>
    phase === 'greet' && connection > 1
      ? '421 4.7.0 too many connections from your address'
      : phase === 'dot'
        ? { say: '250 ok', afterMs: 10 }
        : undefined,
  )
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => send(provider, `${n}@flaky.test`)),
  )
  assert.equal(kinds(outcomes)['accepted'], 20, JSON.stringify(kinds(outcomes)))
  scripts.delete('flaky')
})

test('greylisting: deferred, and the next mail to that domain is not held back by it', async (t) => {
  const provider = world.provider()
  t.after(() => provider.close(0))
  const met = new Set<string>()
  scripts.set('grey', ({ phase, line }) => {
    if (phase !== 'rcpt' || met.has(line)) return undefined
    met.add(line)
    return '450 4.7.1 <you@grey.test>: Recipient address rejected: Greylisted, see http://postgrey.example'
  })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    assert.partialDeepStrictEqual(await send(provider, `${name}@grey.test`), {
      kind: 'deferred',
      phase: 'rcpt',
      code: 450,
    })
  }
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    assert.equal((await send(provider, `${name}@grey.test`)).kind, 'accepted')
})

test('hosts that are down: the first mail finds out, others are postponed until it is tried again; then one tries, and all go', async (t) => {
  const memory = sharedMemory()
  const { clock, pass } = stillClock()
  const provider = world.provider({ memory, clock })
  const other = world.provider({ memory, clock })
  t.after(() => Promise.all([provider.close(0), other.close(0)]))
  world.domain('down.test', ['127.0.0.90'])
  assert.partialDeepStrictEqual(await send(provider, '1@down.test'), {
    kind: 'deferred',
    phase: 'dial',
    code: null,
  })
  const postponed = await send(provider, '2@down.test')
  assert.ok(postponed.kind === 'postponed' && postponed.afterMs > 4_000, JSON.stringify(postponed))
  assert.match(postponed.response ?? '', /ECONNREFUSED.*\[mx1\.down\.test 127\.0\.0\.90\]/)
  assert.equal((await send(other, '3@down.test')).kind, 'postponed', 'another process knows')
  await world.host('127.0.0.90')
  pass(5_100)
  const [first, second] = await Promise.all([
    send(provider, '4@down.test'),
    send(provider, '5@down.test'),
  ])
  assert.deepEqual([first.kind, second.kind], ['accepted', 'postponed'])
  assert.equal((await send(provider, '6@down.test')).kind, 'accepted')
  assert.equal((await send(other, '7@down.test')).kind, 'accepted')
})

test('a domain whose name servers are silent: forty mails of a campaign wait, the others are postponed and free their slots', async (t) => {
  // Their silence lasts until all others were answered.
  const silence = Promise.withResolvers<void>()
  const impatient = impatientResolver()
  const resolve: Resolve = (...question) =>
    silence.promise.then(() => impatient.resolve(...question))
  const provider = world.provider({ resolver: { ...impatient, resolve } })
  t.after(() => provider.close(0))
  world.dns.misbehave('silent.test', 'hang')
  t.after(() => world.dns.misbehave('silent.test', null))
  const list = Array.from({ length: 400 }, (_, n) =>
    send(provider, `${n}@silent.test`, { bulk: true }),
  )
  const crowd = await Promise.all(list.slice(40))
  assert.ok(crowd.every((outcome) => outcome.kind === 'postponed' && outcome.afterMs >= 5_000))
  assert.equal((await send(provider, 'late@silent.test')).kind, 'postponed')
  assert.ok(provider.free() >= 216, String(provider.free()))
  silence.resolve()
  assert.deepEqual(kinds(await Promise.all(list.slice(0, 40))), { deferred: 40 })
})

test('a host known to be down for ten minutes is still known after five', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const memory = sharedMemory()
  const { clock, pass } = stillClock()
  const provider = world.provider({ memory, clock })
  t.after(() => provider.close(0))
  memory.keepCircuit('mx1.healthy.test', { failures: 8, openMs: 640_000, response: 'down' })
  for (const laterMs of [0, 400_000, 200_000]) {
    pass(laterMs)
    t.mock.timers.tick(30_000)
    assert.equal(
      (await send(provider, 'you@healthy.test')).kind,
      'postponed',
      `after ${laterMs} ms more`,
    )
  }
  pass(50_000)
  assert.equal((await send(provider, 'you@healthy.test')).kind, 'accepted')
})

test('a campaign fills the line of a destination: a single mail goes before it', async (t) => {
  const provider = world.provider({ connectionsEach: 1 })
  t.after(() => provider.close(0))
  scripts.set('flaky', ({ phase }) =>
    phase === 'dot' ? { say: '250 ok', afterMs: 20 } : undefined,
  )
  const taken = (): number => peers['flaky']?.mails.length ?? 0
  await send(provider, 'warm@flaky.test')
  const warm = taken()
  const bulk = Array.from({ length: 200 }, (_, n) =>
    send(provider, `${n}@flaky.test`, { bulk: true }),
  )
  await until(() => taken() > warm)
  const before = taken()
  assert.equal((await send(provider, 'single@flaky.test')).kind, 'accepted')
  const passed = taken() - before
  assert.ok(passed <= 4, `${passed} of the list left before it`)
  await Promise.all(bulk)
})

/**
 * Traffic shaping of large receivers: starting values by their mail hosts, overridden by what they
 * teach.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import data from '../../../src/providers/direct-mx/receivers.json' with { type: 'json' }
import { firstHostOf } from '../../../src/providers/direct-mx/find-route.ts'
import { pauseMs, shapingOf } from '../../../src/providers/direct-mx/receivers.ts'
import { send, sharedMemory, startMxWorld } from '../../support/mx-world.ts'
import type { Script } from '../../support/scripted-peer.ts'

const world = await startMxWorld()
let script: Script = () => undefined
const peer = await world.host('127.0.0.1', { script: (at) => script(at) })
/** A company's domain behind the hosts of a large receiver. */
function behind(host: string): string {
  const domain = `company-${host.replaceAll('.', '-')}.test`
  world.dns.set(domain, { MX: [{ preference: 1, exchange: host }] })
  world.dns.set(host, { A: ['127.0.0.1'] })
  return domain
}

test('twenty receivers and more, each with a source and the day on which it was looked up', () => {
  assert.ok(data.receivers.length >= 20)
  for (const { name, hosts, source, checked, connections, messages, perSecond } of data.receivers) {
    assert.ok(source.length > 10 && /^\d{4}-\d\d-\d\d$/.test(checked), name)
    assert.ok(hosts.length > 0 && hosts.every((end) => /^\.[a-z0-9.-]+$/.test(end)), name)
    assert.ok(connections >= 1 && messages >= 1 && perSecond >= 1, name)
  }
})

test('a value that nobody publishes is marked as our own caution; the page of providers has the same values and stars', async () => {
  const page = await readFile('docs/providers.md', 'utf8')
  for (const {
    name,
    hosts,
    connections,
    messages,
    perSecond,
    pauses,
    caution,
    source,
  } of data.receivers) {
    const values = ['connections', 'messages', 'perSecond', 'pauses']
    assert.ok(
      caution.includes('perSecond') && caution.every((value) => values.includes(value)),
      name,
    )
    if (source.startsWith('no figure found; our caution: '))
      assert.deepEqual(caution, pauses.length > 0 ? values : values.slice(0, 3))
    else assert.match(source, /KumoMTA .*\([0-9a-f]{8}\)/, name)
    const star = (value: string): string => (caution.includes(value) ? '*' : '')
    const away =
      pauses.length === 0
        ? '–'
        : pauses.map(({ minutes }) => `${minutes} min`).join(', ') + star('pauses')
    const cells = [
      ...[
        name,
        hosts.map((end) => `\`*${end}\``).join(', '),
        `${connections}${star('connections')}`,
      ],
      ...[`${messages}${star('messages')}`, `${perSecond}${star('perSecond')}`, away],
    ]
    assert.ok(page.includes(`\n| ${cells.join(' | ')} |\n`), name)
  }
})

test('a hosted domain is of the class of its mail hosts; an unknown host is of none', () => {
  for (const [host, name] of [
    ['gmail-smtp-in.l.google.com', 'google'],
    ['aspmx.l.google.com', 'google'],
    ['acme-com.mail.protection.outlook.com', 'microsoft-365'],
    ['outlook-com.olc.protection.outlook.com', 'microsoft-consumer'],
    ['mta5.am0.yahoodns.net', 'yahoo'],
    ['mx01.mail.icloud.com', 'apple'],
    ['mx00.gmx.net', 'gmx-webde'],
    ['smtp-in.orange.fr', 'orange'],
    ['mx.google.com.evil.test', 'others'],
    ['notgoogle.com', 'others'],
  ] as const) {
    assert.equal(shapingOf(host).name, name, host)
    // As destinations are named (find-route.ts).
    for (const destination of [
      host,
      `${host}*`,
      `enforce ${host}*,mx2.test>mx3.test`,
      `${host}>mx.google.com`,
    ])
      assert.equal(shapingOf(firstHostOf(destination)).name, name, destination)
  }
})

test('its connections and messages for each connection are not exceeded', async () => {
  const domain = behind('mx.test.qq.com')
  script = ({ phase }) => (phase === 'dot' ? { say: '250 ok', afterMs: 20 } : undefined)
  const provider = world.provider()
  await send(provider, `first@${domain}`)
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, n) => send(provider, `${n}@${domain}`)),
  )
  const sent = outcomes.filter(({ kind }) => kind === 'accepted').length
  // Five leave in the first second, and the first mail was one of them.
  assert.ok(sent >= 4, String(sent))
  const open = peer.requests.length
  const perConnection = Map.groupBy(peer.mails, ({ connection }) => connection)
  for (const mails of perConnection.values()) assert.ok(mails.length <= 8, String(mails.length))
  assert.ok(open <= Math.ceil(61 / 8) + 4, String(open))
})

test('the mail after the last that a connection may take leaves by a new connection', async () => {
  let passedMs = 0
  const clock = { ...systemClock, monotonicMs: () => passedMs }
  const domain = behind('mx.test.icloud.com')
  script = () => undefined
  const [provider, before] = [world.provider({ clock }), peer.mails.length]
  for (let mail = 1; mail <= 12; mail++) {
    // One after the other, each within the rate.
    passedMs += 1_000
    assert.equal((await send(provider, `${mail}@${domain}`)).kind, 'accepted')
  }
  const perConnection = Map.groupBy(peer.mails.slice(before), ({ connection }) => connection)
  assert.deepEqual(
    [...perConnection.values()].map(({ length }) => length),
    [5, 5, 2],
  )
})

test('the first rate: a burst of a second, then the rest is postponed; it grows while it is used', async () => {
  let passedMs = 0
  const clock = { ...systemClock, monotonicMs: () => passedMs }
  const domain = behind('mx.test.laposte.net')
  script = () => undefined
  const provider = world.provider({ clock })
  const burst = async (): Promise<number> =>
    (
      await Promise.all(Array.from({ length: 40 }, (_, n) => send(provider, `${n}@${domain}`)))
    ).filter(({ kind }) => kind === 'accepted').length
  await send(provider, `first@${domain}`)
  passedMs += 2_000
  const first = await burst()
  assert.ok(first >= 4 && first <= 7, String(first))
  passedMs += 5 * 60_000
  const later = await burst()
  assert.ok(later >= 30, `${later} after five minutes`)
})

test('what the destination teaches goes before: a throttle replaces the first rate', async () => {
  const domain = behind('mx.test.free.fr')
  script = () => undefined
  const memory = sharedMemory()
  const provider = world.provider({ memory, clock: { ...systemClock, monotonicMs: () => 0 } })
  await send(provider, `first@${domain}`)
  memory.keepThrottle('mx.test.free.fr', { perSecond: 500, connections: 2, ageMs: 0 })
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send(provider, `${n}@${domain}`)),
  )
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
})

test('an answer that asks to stay away: nothing is tried for as long, by any process, and no answer under way ends that', async () => {
  assert.equal(
    pauseMs(shapingOf('mta5.am0.yahoodns.net'), '421 4.7.0 [TSS04] Messages temporarily deferred'),
    7_200_000,
  )
  const domain = behind('mta.test.yahoodns.net')
  const memory = sharedMemory()
  const [provider, other] = [world.provider({ memory }), world.provider({ memory })]
  script = () => undefined
  for (const each of [provider, other])
    assert.equal((await send(each, `first@${domain}`)).kind, 'accepted')
  script = ({ phase }) =>
    phase === 'mail'
      ? '421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints'
      : undefined
  const refused = await send(provider, `one@${domain}`)
  assert.equal(refused.kind, 'deferred', JSON.stringify(refused))
  script = () => undefined
  for (const each of [provider, other]) {
    const outcome = await send(each, `two@${domain}`)
    assert.ok(
      outcome.kind === 'postponed' && outcome.afterMs > 7_000_000 / 4,
      JSON.stringify(outcome),
    )
    assert.match(outcome.response ?? '', /TSS04/)
  }
})

/**
 * `facteur provider receivers`: starting values of large receivers, our own caution, and what was
 * learned.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  destinationsChanged,
  mattersFor,
  storeCircuit,
  storeThrottle,
} from '../../src/db/sending/destinations.ts'
import data from '../../src/providers/direct-mx/receivers.json' with { type: 'json' }
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const settings = {
  DATABASE_URL: api.database.url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
}
const operator = createOperator(settings)
const { db } = api.service

async function rowOf(name: string, env: Record<string, string> = {}): Promise<unknown> {
  const rows = at(
    await createOperator({ ...settings, ...env }).json(['provider', 'receivers']),
    'data',
  )
  assert.ok(Array.isArray(rows))
  assert.equal(rows.length, data.receivers.length + 1)
  return rows.find((row) => at(row, 'id') === name)
}

test('every receiver has its starting values, with a star where they are our own caution', async () => {
  const text = await operator.text(['provider', 'receivers'])
  assert.match(
    text,
    /^RECEIVER +CONNECTIONS +MESSAGES EACH +A SECOND, AT FIRST +AWAY AFTER ANSWERS +READ ON +SLOWED NOW +LEFT ALONE NOW$/m,
  )
  assert.match(text, /^google +5 +50 +20\* +15 min +2026-11-26 +0 +0$/m)
  assert.match(text, /^laposte +2\* +50\* +5\* +10 min\* +2026-11-26 +0 +0$/m)
  assert.match(text, /^others +20 +100 +- +- +- +0 +0$/m)
  assert.partialDeepStrictEqual(await rowOf('google'), {
    ...{
      hosts: ['*.google.com', '*.googlemail.com'],
      connections: 5,
      messages_per_connection: 50,
      first_rate_per_second: 20,
    },
    ...{ caution: ['perSecond'], checked: '2026-11-26', learned: [] },
  })
  // The deployment's own limit is in force where it is lower.
  assert.partialDeepStrictEqual(await rowOf('comcast', { FACTEUR_MX_CONNECTIONS: '3' }), {
    connections: 3,
  })
  const own = await createOperator({ ...settings, FACTEUR_MX_CONNECTIONS: '3' }).text([
    'provider',
    'receivers',
  ])
  assert.match(own, /^comcast +3 +100\* /m)
  assert.match(own, /^orange +2\* +100 /m)
})

test('what was learned stands beside: destinations that are slowed, and those that are left alone', async () => {
  await storeThrottle(db, {
    name: 'mx1.l.google.com,mx2.l.google.com',
    perSecond: 2.5,
    connections: 1,
  })
  await storeCircuit(db, {
    name: 'enforce mta5.am0.yahoodns.net',
    failures: 1,
    openMs: 7_200_000,
    response: '421 4.7.0 [TSS04] deferred',
  })
  await storeCircuit(db, { name: 'mx.small.test', failures: 1, openMs: 60_000, response: null })
  assert.partialDeepStrictEqual(await rowOf('google'), {
    learned: [
      {
        destination: 'mx1.l.google.com,mx2.l.google.com',
        slowed: { per_second: 2.5, connections: 1 },
        away: null,
      },
    ],
  })
  assert.partialDeepStrictEqual(await rowOf('yahoo'), {
    learned: [{ slowed: null, away: { response: '421 4.7.0 [TSS04] deferred' } }],
  })
  const google = await operator.text(['provider', 'receivers', 'google'])
  assert.match(google, /^google: \*\.google\.com, \*\.googlemail\.com$/m)
  assert.match(google, /^Messages a second, at first: 20\*\.$/m)
  assert.match(google, /^Source, read on 2026-11-26: .*KumoMTA/m)
  assert.match(
    google,
    /^mx1\.l\.google\.com,mx2\.l\.google\.com asked for a slower pace at [-\d: ]+ UTC: 2\.5 a second, 1 connection of each process/m,
  )
  assert.match(
    await operator.text(['provider', 'receivers', 'yahoo']),
    /left alone until [-\d: ]+ UTC: 421 4\.7\.0 \[TSS04\] deferred$/m,
  )
  assert.match(
    await operator.text(['provider', 'receivers', 'orange']),
    /^No destination of it is slowed or left alone now\.$/m,
  )
  const metrics = await (await fetch(`${api.baseUrl}/metrics`)).text()
  assert.match(metrics, /^facteur_destinations_slowed\{receiver="google"\} 1$/m)
  assert.match(metrics, /^facteur_destinations_away\{receiver="yahoo"\} 1$/m)
  assert.match(metrics, /^facteur_destinations_away\{receiver="others"\} 1$/m)
})

test('a quarter of an hour later the throttle is over; after its time, a destination is not left alone', async () => {
  await api.moveClock('16 minutes')
  assert.partialDeepStrictEqual(await rowOf('google'), { learned: [] })
  assert.partialDeepStrictEqual(await rowOf('others'), { learned: [] })
  assert.partialDeepStrictEqual(await rowOf('yahoo'), {
    learned: [{ destination: 'enforce mta5.am0.yahoodns.net' }],
  })
})

test('a pause of hours is known to a process that starts after its first hour; none outlasts the rows that are read', async () => {
  await api.moveClock('100 minutes')
  assert.ok(
    (await destinationsChanged(db, null)).some(
      ({ name, circuit }) => name.includes('yahoodns') && circuit.openMs > 0,
    ),
  )
  assert.partialDeepStrictEqual(await rowOf('yahoo'), {
    learned: [{ destination: 'enforce mta5.am0.yahoodns.net' }],
  })
  const longest = Math.max(
    ...data.receivers.flatMap(({ pauses }) => pauses.map(({ minutes }) => minutes)),
  )
  assert.ok(longest < 60 * Number.parseInt(mattersFor, 10))
})

test('a name that is none of them: exit code 2', () =>
  operator.refused(['provider', 'receivers', 'gogle'], {
    code: 'usage',
    exit: 2,
    message: /^"gogle" is none of google, /,
  }))

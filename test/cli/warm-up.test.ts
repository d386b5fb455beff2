/** `facteur domain warm-up`: begun, shown, ended, and what it refuses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const { domain } = await api.workspace('acme')
const operator = createOperator({ DATABASE_URL: api.database.url })
const warmUp = ['domain', 'warm-up', '--workspace', 'acme', domain]

test('not begun, begun with its own numbers, on its third day, over, ended', async () => {
  assert.deepEqual(await operator.json(warmUp), { id: domain, warm_up: null })
  assert.match(
    await operator.text(warmUp),
    /is not warmed up\. Next: facteur domain warm-up --workspace acme .* --start/,
  )
  const started = await operator.json([
    ...warmUp,
    '--start',
    '--first',
    '200',
    '--growth',
    '1.5',
    '--until',
    '1000',
  ])
  assert.partialDeepStrictEqual(started, {
    id: domain,
    warm_up: {
      first_day: 200,
      growth: 1.5,
      until: 1_000,
      day: 1,
      allowance: 200,
      used: 0,
      over: false,
    },
  })
  await api.moveClock('49 hours')
  assert.match(
    await operator.text(warmUp),
    /day 3 of its warm-up.*\nToday: 0 of 450 messages\. .* after 2 more days nothing is held back/,
  )
  await api.moveClock('97 hours')
  assert.match(await operator.text(warmUp), /nothing is held back any more/)
  assert.match(await operator.text([...warmUp, '--stop']), /no longer warmed up/)
  assert.match(await operator.text([...warmUp, '--stop']), /was not warmed up/)
})

for (const [title, args, why] of [
  ['both', ['--start', '--stop'], /do not go together/],
  ['numbers without a start', ['--first', '5'], /go with --start/],
  [
    'a first day like the last',
    ['--start', '--first', '500', '--until', '500'],
    /less than --until/,
  ],
  ['no growth', ['--start', '--growth', '1'], /not a number from 1\.01 to 10/],
] as const) {
  test(`refused: ${title}`, () =>
    operator.refused([...warmUp, ...args], { code: 'usage', exit: 2, message: why }))
}

test('a domain that the workspace has not: refused', () =>
  operator.refused(['domain', 'warm-up', '--workspace', 'acme', 'other.test', '--start'], {
    ...{ code: 'not_found', exit: 1, message: /has no domain other\.test/ },
  }))

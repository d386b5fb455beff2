/** While the disk is nearly full, nothing new comes in; what was accepted goes out, and is read. */
import { after, test } from 'node:test'
import assert from 'node:assert/strict'
import { systemClock } from '../../src/ground/clock.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { watchDisk } from '../../src/core/disk-watch.ts'
import { openIntake } from '../../src/core/intake.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf } from '../support/mcp.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

let free = Number.MAX_SAFE_INTEGER
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
let polled: (measured: number) => void = () => undefined
const freeBytes = (): Promise<number> => {
  const measured = free
  setImmediate(() => polled(measured))
  return Promise.resolve(measured)
}

const intake = openIntake()
const disk = await watchDisk(
  { clock: systemClock, log },
  { folder: '/', diskFreeMin: 500, intake, freeBytes },
)
after(disk.stop)
const api = await startApi({ entry: operatorEntryPoints({ intake }) })
const workspace = await api.workspace('full')

const setFree = (byteCount: number): Promise<void> => {
  free = byteCount
  // Its previous state is not the one just set.
  return new Promise((resolve) => (polled = (measured) => measured === byteCount && resolve()))
}

const mail = () => ({
  from: `hello@${workspace.domain}`,
  to: 'you@example.com',
  subject: 'Hello',
  text: 'It works.',
})

test('500 internal_error: reason, bytes and Retry-After; accepted mail leaves and is read', async () => {
  const { key } = workspace
  const later = { ...mail(), scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }
  const accepted = await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() })
  const scheduled = await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: later })
  await setFree(499)

  for (const [line, body] of [
    ['POST /api/v1/emails', mail()],
    ['POST /api/v1/emails/batch', [mail()]],
    [`PATCH /api/v1/emails/${textAt(scheduled, 'id')}`, { scheduled_at: later.scheduled_at }],
  ] as const) {
    const refused = await ask(api.baseUrl, line, { key, body })
    assertRefused(refused, 'internal_error', {
      reason: 'disk_full',
      free_bytes: 499,
      needed_bytes: 500,
    })
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  await workspace.capturedMails(textAt(accepted, 'id'), 1)
  assertAnswered(
    await ask(api.baseUrl, `GET /api/v1/emails/${textAt(accepted, 'id')}`, { key }),
    200,
  )

  // A call that stops mail needs next to no space, and is taken.
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/emails/${textAt(scheduled, 'id')}/cancel`, { key }),
    200,
  )
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/suppression', {
      key,
      body: { email: 'gone@example.com' },
    }),
    201,
  )

  await setFree(500)
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() }), 202)
})

test('users and agents are refused alike; sign-ins, and calls that stop mail, are accepted', async () => {
  await setFree(499)
  const editor = await signIn(api, { in: { [workspace.id]: 'editor' } })
  const base = '/workspaces/full/api/v1'
  const enrolment = { email: 'new@example.com', consent: 'They asked at the counter' }
  const refused = await editor.ask(`POST ${base}/subscribers`, { body: enrolment })
  assertRefused(refused, 'internal_error', {
    reason: 'disk_full',
    free_bytes: 499,
    needed_bytes: 500,
  })
  assertAnswered(
    await editor.ask(`POST ${base}/suppression`, { body: { email: 'left@example.com' } }),
    201,
  )
  const stranger = { email: editor.email, password: 'a wrong one' }
  assertRefused(
    await editor.ask('POST /people/api/v1/session', { body: stranger }),
    'wrong_credentials',
  )
  const result = await clientOf(api.baseUrl, workspace.key).call('send_email', mail())
  assert.equal(at(result.body, 'error', 'details', 'reason'), 'disk_full')
  await setFree(500)
  assertAnswered(await editor.ask(`POST ${base}/subscribers`, { body: enrolment }), 201)
})

test('a move of the installation is named before the disk, and both end by themselves', async () => {
  const { key } = workspace
  await setFree(499)
  intake.pause = () => new ApiError('internal_error', { reason: 'moving' }, 3, 503)
  const refused = await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() })
  assert.equal(at(refused.body, 'error', 'details', 'reason'), 'moving')
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/emails', { key }), 200)
  intake.pause = null
  const full = await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() })
  assert.equal(at(full.body, 'error', 'details', 'reason'), 'disk_full')
  await setFree(500)
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() }), 202)
})

test('401 and 403 come before: a caller without a key does not learn how full the disk is', async () => {
  await setFree(1)
  assertRefused(await ask(api.baseUrl, 'POST /api/v1/emails', { body: mail() }), 'missing_api_key')
  const key = await workspace.makeKey(['subscribers:read'])
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: mail() }),
    'insufficient_scope',
  )
})

/** A sign-up that no contact confirms is deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeForm as make, type NewForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { sql } from '../../src/database/client/sql.ts'
import { cleanUp } from '../../src/entrypoints/workers/clean-up.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { press, open, type VisitedPage } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('acme')
const base = api.baseUrl
const { db } = api.service

async function makeForm(
  fields: Partial<NewForm> = {},
  owner: TestWorkspace = workspace,
): Promise<string> {
  const form = { name: 'Our news', intro: null, consent: null, asks: [], tags: [], ...fields }
  const { id } = await make(api.service, { workspaceId: owner.id, form })
  return `/forms/${writeFormId({ workspaceId: owner.id, id })}`
}

let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}
const day = 24 * 3600 + 60

/** Signs up as a visitor does, and waits until a worker has processed it. */
async function signUp(
  path: string,
  email: string,
  typed: Record<string, string> = {},
): Promise<VisitedPage> {
  // The network's rate limits reset.
  await later(2 * 3600)
  const page = await open(base, path)
  await later(10)
  const answer = await press(base, page, { email, ...typed })
  await polled(email)
  return answer
}

async function polled(email: string): Promise<void> {
  const due = () =>
    db.count(
      sql`select 1 from sign_up where workspace_id = ${workspace.id} and email = ${email} and next_at <= facteur_now()`,
    )
  await until(due, (observed) => observed === 0)
}

interface Contact {
  id: string
  status: string
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  source: string
}

async function find(email: string): Promise<Contact | null> {
  const [row] = await db.rows<Contact>(
    sql`select * from subscriber where workspace_id = ${workspace.id} and email = ${email}`,
  )
  return row ?? null
}

/** The mails that left for an address, once there are as many as it was asked. */
async function mailsTo(email: string): Promise<string[]> {
  const answer = await db.rows(
    sql`select 1 from consent_evidence where workspace_id = ${workspace.id} and email = ${email} and act = 'asked'`,
  )
  const left = () =>
    db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${workspace.id} and recipient = ${email} order by captured_at`)
  const rows = await until(left, ({ length }) => length >= answer.length)
  return rows.map(({ raw }) => raw.toString().replaceAll('=\r\n', ''))
}

const linkIn = (mail: string | undefined): string =>
  `/confirm/${/\/confirm\/([\w-]{64})/.exec(mail ?? '')?.[1] ?? assert.fail('no link')}`

test("an unconfirmed sign-up is deleted after 30 days, and a rate limit's count when its hour is over", async () => {
  const path = await makeForm({ asks: [{ field: 'firstName', label: null }] })
  await signUp(path, 'forgotten@example.com', { firstName: 'Ada' })
  const [mail] = await mailsTo('forgotten@example.com')
  const stored = () =>
    db.rows(
      sql`select 1 from sign_up where workspace_id = ${workspace.id} and email = 'forgotten@example.com'`,
    )
  const rateLimits = () =>
    db.rows(sql`select 1 from sign_up_rate where workspace_id in (0, ${workspace.id})`)
  await cleanUp(api.service, new AbortController().signal)
  assert.deepEqual([(await stored()).length, (await rateLimits()).length], [1, 2])
  await later(31 * day)
  await cleanUp(api.service, new AbortController().signal)
  assert.deepEqual([(await stored()).length, (await rateLimits()).length], [0, 0])
  // The mail's link still confirms; it is what was typed that is gone.
  await press(base, await open(base, linkIn(mail)))
  assert.partialDeepStrictEqual(await find('forgotten@example.com'), {
    status: 'subscribed',
    firstName: null,
  })
})

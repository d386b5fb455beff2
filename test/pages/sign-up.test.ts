/**
 * From a form to the list: who gets a confirmation mail and how often, its words, and what its
 * button writes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeForm as make, type NewForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { completeSignUp } from '../../src/core/forms/complete-sign-up.ts'
import { unsubscribeSubscriber } from '../../src/core/suppression/unsubscribe-subscriber.ts'
import { sql } from '../../src/database/client/sql.ts'
import { insertSignUp, type SignUpRow } from '../../src/db/forms/sign-ups.ts'
import { upsertPlatformSuppressions } from '../../src/db/suppression/suppressions-in-bulk.ts'
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

async function confirm(email: string): Promise<VisitedPage> {
  return press(base, await open(base, linkIn((await mailsTo(email)).at(-1))))
}

test('a new contact: pending, until the button writes what they typed; the evidence has question, page and mail', async () => {
  const path = await makeForm({
    consent: 'News of acme, once a month.',
    asks: [
      { field: 'firstName', label: null },
      { field: 'lastName', label: null },
      { field: 'fields.city', label: 'City' },
    ],
    tags: ['news'],
  })
  await signUp(path, 'ada@example.com', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    'fields.city': 'London',
  })
  const nothing = {
    status: 'pending',
    firstName: null,
    lastName: null,
    tags: [],
    fields: {},
    source: 'form',
  }
  assert.partialDeepStrictEqual(await find('ada@example.com'), nothing)
  assert.equal((await confirm('ada@example.com')).status, 200)
  const contact = await find('ada@example.com')
  assert.partialDeepStrictEqual(contact, {
    ...{
      status: 'subscribed',
      firstName: 'Ada',
      lastName: 'Lovelace',
      tags: ['news'],
      fields: { city: 'London' },
    },
  })
  const evidence = await db.rows(sql`
    select act, source, shown, ip, message_id is not null as mail from consent_evidence where workspace_id = ${workspace.id} and subscriber_id = ${contact?.id} order by id`)
  assert.partialDeepStrictEqual(evidence, [
    {
      act: 'asked',
      source: 'form',
      shown: 'News of acme, once a month.',
      ip: '127.0.0.1',
      mail: true,
    },
    { act: 'confirmed', source: 'form', ip: '127.0.0.1', mail: true },
  ])
  const stored = await db.rows(
    sql`select 1 from sign_up where workspace_id = ${workspace.id} and email = 'ada@example.com'`,
  )
  assert.equal(stored.length, 0, 'what was typed is kept once')
})

test('nothing that the visitor typed stands in the mail, but the address it goes to', async () => {
  const path = await makeForm({
    asks: [
      { field: 'firstName', label: null },
      { field: 'fields.note', label: 'Note' },
    ],
  })
  const typed = { firstName: 'BUYNOW', 'fields.note': 'https://spam.example/' }
  await signUp(path, 'victim@example.com', typed)
  const [mail] = await mailsTo('victim@example.com')
  assert.doesNotMatch(mail ?? '', /BUYNOW|spam\.example/i)
})

test('one confirmation per address in 24 hours, over all forms; after it another', async () => {
  const [first, second] = [await makeForm(), await makeForm()]
  for (const path of [first, second, first]) await signUp(path, 'often@example.com')
  assert.equal((await mailsTo('often@example.com')).length, 1)
  // Signing up takes two hours and ten seconds here: this one comes a minute before the day is
  // over.
  await later(day - 120 - 3 * (2 * 3600 + 10))
  await signUp(first, 'often@example.com')
  assert.equal((await mailsTo('often@example.com')).length, 1)
  await later(day)
  await signUp(second, 'often@example.com')
  assert.equal((await mailsTo('often@example.com')).length, 2)
})

test('sign-ups of one address that several workers process at once: one mail, for a new contact and for a known one', async () => {
  for (const mails of [1, 2]) {
    for (let count = 0; count < 8; count++)
      await insertSignUp(db, workspace.id, signUpOf('twin@example.com'))
    await Promise.all(Array.from({ length: 8 }, () => completeSignUp(api.service, workspace.id)))
    await polled('twin@example.com')
    assert.equal((await mailsTo('twin@example.com')).length, mails)
    await later(day)
  }
})

/** As the page keeps it. */
const signUpOf = (email: string): SignUpRow => ({
  ...{ id: api.service.makeId(), formId: api.service.makeId(), email, shown: 'I agree' },
  ...{
    firstName: null,
    lastName: null,
    fields: {},
    tags: [],
    topics: null,
    ip: null,
    userAgent: null,
    language: null,
  },
})

test('three confirmations without an answer are all; a contact who answers may be asked again', async () => {
  const path = await makeForm()
  for (let count = 0; count < 5; count++) {
    await signUp(path, 'silent@example.com')
    await later(day)
  }
  assert.equal((await mailsTo('silent@example.com')).length, 3)
  await confirm('silent@example.com')
  await later(day)
  await signUp(path, 'silent@example.com')
  assert.equal((await mailsTo('silent@example.com')).length, 4)
})

test('a contact who unsubscribed returns by the form and its mail, and by nothing less', async () => {
  const path = await makeForm()
  await signUp(path, 'back@example.com')
  await confirm('back@example.com')
  const { id = '' } = (await find('back@example.com')) ?? {}
  const leaving = {
    source: 'link',
    ip: null,
    userAgent: null,
    apiKeyId: null,
    campaignId: null,
  } as const
  await unsubscribeSubscriber(api.service, {
    workspaceId: workspace.id,
    leaver: { subscriberId: id },
    leaving,
  })
  await later(day)
  await signUp(path, 'back@example.com')
  assert.equal((await find('back@example.com'))?.status, 'unsubscribed', 'the form alone does not')
  assert.equal((await open(base, linkIn((await mailsTo('back@example.com')).at(-1)))).status, 200)
  assert.equal((await find('back@example.com'))?.status, 'unsubscribed', 'nor opening the link')
  await confirm('back@example.com')
  assert.equal((await find('back@example.com'))?.status, 'subscribed')
  const rows = await db.rows(
    sql`select 1 from suppression where workspace_id = ${workspace.id} and email = 'back@example.com'`,
  )
  assert.equal(rows.length, 0)
})

test('suppressed by anything but the contact: no mail, no record, and no trace of the sign-up', async () => {
  const path = await makeForm()
  const reasons = ['manual', 'bounce', 'complaint'] as const
  for (const reason of reasons) await workspace.suppress(`${reason}@example.com`, reason)
  await api.suppressOnPlatform('platform@example.com')
  // For any reason: the contact did not unsubscribe from this workspace.
  await api.run(
    `update platform_suppression set reason = 'unsubscribe' where email = 'platform@example.com'`,
  )
  await db.count(sql`
    insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    values (${workspace.id}, ${api.service.makeId()}, 'bounced@example.com', 'bounced', facteur_now(), facteur_now())`)
  for (const name of [...reasons, 'platform', 'bounced']) {
    const email = `${name}@example.com`
    assert.equal((await signUp(path, email)).title, 'Consultez votre boîte de réception')
    assert.deepEqual(await mailsTo(email), [])
    const rows = await db.rows(
      sql`select 1 from sign_up where workspace_id = ${workspace.id} and email = ${email}`,
    )
    assert.deepEqual(
      [rows.length, (await find(email))?.status ?? 'nobody'],
      [0, name === 'bounced' ? 'bounced' : 'nobody'],
    )
  }
})

test("suppressed after the request: the link lifts no suppression but the contact's own", async () => {
  const path = await makeForm()
  await signUp(path, 'later@example.com')
  const page = await open(base, linkIn((await mailsTo('later@example.com'))[0]))
  await workspace.suppress('later@example.com', 'complaint')
  assert.equal((await press(base, page)).status, 410)
  assert.notEqual((await find('later@example.com'))?.status, 'subscribed')
})

test('suppressed by the platform after the request: the link does not lift it, for any reason', async () => {
  const path = await makeForm()
  const email = 'everywhere@example.com'
  await signUp(path, email)
  const page = await open(base, linkIn((await mailsTo(email))[0]))
  const entry = { id: api.service.makeId(), email, reason: 'unsubscribe' } as const
  await upsertPlatformSuppressions(db, [entry])
  assert.equal((await press(base, page)).status, 410)
  assert.equal((await find(email))?.status, 'pending')
  await later(day)
  await signUp(path, email)
  assert.equal((await mailsTo(email)).length, 1, 'nor are they asked again')
})

test("a subscriber: a form's additions wait for their button too; fields that it leaves empty stay", async () => {
  const first = await makeForm({ asks: [{ field: 'firstName', label: null }], tags: ['one'] })
  const second = await makeForm({
    asks: [
      { field: 'firstName', label: null },
      { field: 'lastName', label: null },
    ],
    tags: ['two'],
  })
  await signUp(first, 'known@example.com', { firstName: 'Ada' })
  await confirm('known@example.com')
  await later(day)
  await signUp(second, 'known@example.com', { lastName: 'Lovelace' })
  assert.partialDeepStrictEqual(await find('known@example.com'), {
    status: 'subscribed',
    lastName: null,
    tags: ['one'],
  })
  assert.equal((await confirm('known@example.com')).title, 'Votre inscription est confirmée')
  assert.partialDeepStrictEqual(await find('known@example.com'), {
    ...{ status: 'subscribed', firstName: 'Ada', lastName: 'Lovelace', tags: ['one', 'two'] },
  })
})

test('a contact with 198 tags signs up by a form that adds four: two are added, 200 in all', async () => {
  const path = await makeForm({ tags: ['w', 'x', 'y', 'z'] })
  await api.run(`
    insert into subscriber (workspace_id, id, email, status, tags, fields, source, created_at, updated_at)
    select ${workspace.id}, gen_random_uuid(), 'tagged@example.com', 'subscribed', array(select 'tag ' || i from generate_series(1, 198) i),
      '{}', 'api', facteur_now(), facteur_now()`)
  await signUp(path, 'tagged@example.com')
  assert.equal((await confirm('tagged@example.com')).title, 'Votre inscription est confirmée')
  const { tags = [] } = (await find('tagged@example.com')) ?? {}
  assert.equal(tags.length, 200)
  assert.deepEqual(tags.slice(197), ['tag 198', 'w', 'x'])
})

test('while the workspace cannot ask for confirmations: the form takes no sign-up, and an earlier one waits', async () => {
  const path = await makeForm()
  await later(2 * 3600)
  const page = await open(base, path)
  await later(10)
  await workspace.setReputation({ handOffs: 1000, bounces: 500, complaints: 0 })
  assert.equal(
    (await press(base, page, { email: 'late@example.com' })).title,
    'Les inscriptions sont fermées',
  )
  await insertSignUp(db, workspace.id, signUpOf('wait@example.com'))
  await polled('wait@example.com')
  assert.deepEqual(await mailsTo('wait@example.com'), [])
  await workspace.setReputation({ handOffs: 1000, bounces: 0, complaints: 0 })
  await later(3700)
  await polled('wait@example.com')
  assert.equal((await mailsTo('wait@example.com')).length, 1)
})

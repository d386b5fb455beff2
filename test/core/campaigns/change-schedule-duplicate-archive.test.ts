/**
 * Campaigns are changed, scheduled, duplicated and archived; each act refuses the states that it
 * does not leave.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type ErrorCode } from '../../../src/contract/errors.ts'
import { findCampaign } from '../../../src/core/campaigns/find-campaign.ts'
import { changeDraft } from '../../../src/core/campaigns/update-campaign.ts'
import { campaignSource } from '../../../src/db/campaigns/campaigns.ts'
import { saveFinished } from '../../../src/db/campaigns/drafts.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import { startApi } from '../../support/api.ts'
import { draftOf } from '../../support/campaign-world.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const ctx = api.service
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const setStatus = (id: string, status: string): Promise<void> =>
  api.run(`update campaign set status = '${status}' where id = '${id}'`)
const sourceOf = async (id: string): Promise<unknown> =>
  (await campaignSource(ctx.db, shop.id, id))?.source

/** Refused with this code, and its details hold at least these. */
const refuses = (work: Promise<unknown>, code: ErrorCode, details: object = {}): Promise<void> =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, code)
    assert.partialDeepStrictEqual(error.details, details)
    return true
  })

test('a draft is scheduled, moved and unscheduled; workers wake at the earliest time', async () => {
  const id = await draftOf(api, shop)
  const at = inHours(5)
  assert.partialDeepStrictEqual(
    await callVerb(ctx, shop.id, 'scheduleCampaign', { params: { id }, body: { scheduledAt: at } }),
    {
      campaign: { status: 'scheduled', scheduledAt: at },
    },
  )
  const earlier = inHours(2)
  const moved = await callVerb(ctx, shop.id, 'scheduleCampaign', {
    params: { id },
    body: { scheduledAt: earlier.replace('Z', '+00:00') },
  })
  assert.deepEqual(moved.campaign.scheduledAt, earlier)
  const [due] = await ctx.db.rows<{ nextAt: Date }>(
    sql`select next_at from due where workspace_id = ${shop.id} and lane = 'campaign'`,
  )
  assert.deepEqual(due?.nextAt, new Date(earlier))
  assert.partialDeepStrictEqual(
    await callVerb(ctx, shop.id, 'unscheduleCampaign', { params: { id } }),
    {
      campaign: { status: 'draft', scheduledAt: null },
    },
  )
})

test('a time that is past, absurdly far or none at all is refused, by the clock of the database', async () => {
  const id = await draftOf(api, shop)
  await refuses(
    callVerb(ctx, shop.id, 'scheduleCampaign', {
      params: { id },
      body: { scheduledAt: inHours(-1) },
    }),
    'validation_error',
    { rule: 'in_the_past' },
  )
  await refuses(
    callVerb(ctx, shop.id, 'scheduleCampaign', {
      params: { id },
      body: { scheduledAt: inHours(366 * 24) },
    }),
    'validation_error',
    { rule: 'too_far' },
  )
  await refuses(
    callVerb(ctx, shop.id, 'scheduleCampaign', {
      params: { id },
      body: { scheduledAt: 'tomorrow' },
    }),
    'validation_error',
    { rule: 'date-time' },
  )
  await api.moveClock('3 hours')
  await refuses(
    callVerb(ctx, shop.id, 'scheduleCampaign', {
      params: { id },
      body: { scheduledAt: inHours(2) },
    }),
    'validation_error',
    { rule: 'in_the_past' },
  )
  await api.moveClock('0 hours')
})

test('a draft without a sender is not scheduled', async () => {
  const id = await draftOf(api, shop)
  await api.run(`update campaign set from_email = null where id = '${id}'`)
  await refuses(
    callVerb(ctx, shop.id, 'scheduleCampaign', {
      params: { id },
      body: { scheduledAt: inHours(1) },
    }),
    'validation_error',
    { reason: 'no_sender' },
  )
})

test('each act leaves the states that it may, and refuses all others with the state', async () => {
  const at = inHours(1)
  const acts = {
    schedule: (id: string) =>
      callVerb(ctx, shop.id, 'scheduleCampaign', { params: { id }, body: { scheduledAt: at } }),
    unschedule: (id: string) => callVerb(ctx, shop.id, 'unscheduleCampaign', { params: { id } }),
    archive: (id: string) => callVerb(ctx, shop.id, 'archiveCampaign', { params: { id } }),
    update: (id: string) =>
      changeDraft(ctx, { workspaceId: shop.id, id, change: { name: 'changed' } }),
  }
  const allowed: Record<keyof typeof acts, string[]> = {
    schedule: ['draft', 'scheduled'],
    unschedule: ['scheduled'],
    archive: ['draft', 'sent'],
    update: ['draft'],
  }
  for (const name of ['schedule', 'unschedule', 'archive', 'update'] as const) {
    for (const status of ['draft', 'scheduled', 'sending', 'sent', 'archived']) {
      const id = await draftOf(api, shop)
      await setStatus(id, status)
      if (allowed[name].includes(status)) await acts[name](id)
      else await refuses(acts[name](id), 'conflict', { id, status })
    }
  }
})

test('a draft is deleted with its note; its audit entry stays, and a campaign of another state cannot be deleted', async () => {
  const deleted = (id: string) => callVerb(ctx, shop.id, 'deleteCampaign', { params: { id } })
  const id = await draftOf(api, shop)
  assert.deepEqual(await deleted(id), { object: 'campaign', id, deleted: true })
  await refuses(callVerb(ctx, shop.id, 'getDraft', { params: { id } }), 'not_found', { id })
  // The answer to a repeated call says that it is gone.
  await refuses(deleted(id), 'not_found', { id })
  const acts = await ctx.db.rows(
    sql`select act, subject from audit_log where workspace_id = ${shop.id} and details ->> 'campaign' = ${id}`,
  )
  assert.deepEqual(acts.at(-1), { act: 'campaign.deleted', subject: 'News' })
  for (const status of ['scheduled', 'sending', 'sent', 'archived']) {
    const another = await draftOf(api, shop)
    await setStatus(another, status)
    await refuses(deleted(another), 'conflict', { id: another, status })
  }
  const returned = await draftOf(api, shop)
  await api.run(`update campaign set sent_at = facteur_now() where id = '${returned}'`)
  await refuses(deleted(returned), 'conflict', { id: returned, status: 'draft' })
})

test('a campaign that is scheduled while a change is validated is not changed', async () => {
  const id = await draftOf(api, shop)
  await setStatus(id, 'scheduled')
  const draft = {
    name: 'x',
    subject: 'x',
    preheader: null,
    fromName: null,
    fromEmail: null,
    kind: 'text',
    source: {},
  } as const
  const mail = { ...draft, replyTo: [], trackOpens: true, trackClicks: true }
  assert.equal(
    await saveFinished(ctx.db, shop.id, { id, version: 1, typed: null, savedBy: null, mail }),
    null,
  )
  assert.equal((await findCampaign(ctx, { workspaceId: shop.id, id })).name, 'News')
})

test('a campaign of another workspace is not found, for every act', async () => {
  const id = await draftOf(api, other)
  const acts = [
    () =>
      callVerb(ctx, shop.id, 'scheduleCampaign', {
        params: { id },
        body: { scheduledAt: inHours(1) },
      }),
    () => callVerb(ctx, shop.id, 'unscheduleCampaign', { params: { id } }),
    () => callVerb(ctx, shop.id, 'archiveCampaign', { params: { id } }),
    () => callVerb(ctx, shop.id, 'deleteCampaign', { params: { id } }),
    () => callVerb(ctx, shop.id, 'duplicateCampaign', { params: { id } }),
    () => changeDraft(ctx, { workspaceId: shop.id, id, change: { name: 'x' } }),
  ]
  for (const act of acts) await refuses(act(), 'not_found', { id })
})

test('a change replaces the given fields, and the others stay', async () => {
  const id = await draftOf(api, shop, { preheader: 'Before' })
  const before = await sourceOf(id)
  const changed = await changeDraft(ctx, {
    workspaceId: shop.id,
    id,
    change: { subject: 'Changed', preheader: '', trackOpens: false },
  })
  assert.partialDeepStrictEqual(changed, {
    ...{
      name: 'News',
      subject: 'Changed',
      preheader: null,
      kind: 'text',
      fromEmail: 'hello@shop.test',
    },
    ...{ trackOpens: false, trackClicks: true },
  })
  assert.deepEqual(await sourceOf(id), before)
  const content = [
    { type: 'heading', label: 'Hello' },
    { type: 'columns', columns: [[{ type: 'divider' }], [{ type: 'quote', text: 'x' }]] },
  ]
  const blocks = await changeDraft(ctx, { workspaceId: shop.id, id, change: { content } })
  assert.equal(blocks.kind, 'content')
  // Stored content passes the same validation again when another field changes.
  const stored = await sourceOf(id)
  await changeDraft(ctx, { workspaceId: shop.id, id, change: { name: 'Renamed' } })
  assert.deepEqual(await sourceOf(id), stored)
  assert.equal(
    (await changeDraft(ctx, { workspaceId: shop.id, id, change: { html: '<p>x</p>' } })).kind,
    'html',
  )
})

test('a change is validated as a creation is', async () => {
  const id = await draftOf(api, shop)
  const change = (what: object): Promise<unknown> =>
    changeDraft(ctx, { workspaceId: shop.id, id, change: what })
  await refuses(change({ from: 'a@elsewhere.example' }), 'unverified_from_domain')
  await refuses(change({ from: 'stranger@shop.test' }), 'not_found')
  await refuses(change({ subject: 'a\nb' }), 'validation_error', { path: 'subject' })
  await refuses(change({ content: [{ type: 'video' }] }), 'validation_error', { index: 0 })
  await refuses(change({ text: 'x', html: '<p>x</p>' }), 'validation_error', {
    rule: 'one_content',
  })
})

test('a duplicate is a new draft with all the content, in any state of the original', async () => {
  await api.run(`update workspace set track_opens = true where id = ${shop.id}`)
  const id = await draftOf(api, shop, { preheader: 'Before', from: 'Me <hello@shop.test>' })
  await changeDraft(ctx, { workspaceId: shop.id, id, change: { trackOpens: false } })
  await api.run(
    `update campaign set status = 'sent', scheduled_at = now(), sent_at = now(), completed_at = now() where id = '${id}'`,
  )
  await api.run(`insert into campaign_tally values (${shop.id}, '${id}', 'opened', '', 5)`)
  const { campaign } = await callVerb(ctx, shop.id, 'duplicateCampaign', { params: { id } })
  assert.notEqual(campaign.id, id)
  const copy = await findCampaign(ctx, { workspaceId: shop.id, id: campaign.id })
  assert.partialDeepStrictEqual(copy, {
    ...{
      name: 'News',
      preheader: 'Before',
      fromName: 'Me',
      fromEmail: 'hello@shop.test',
      kind: 'text',
      status: 'draft',
    },
    ...{
      trackOpens: false,
      trackClicks: true,
      scheduledAt: null,
      sentAt: null,
      completedAt: null,
      recipients: 0,
      counted: {},
    },
  })
  assert.deepEqual(await sourceOf(copy.id), await sourceOf(id))
  assert.equal(
    (await callVerb(ctx, shop.id, 'duplicateCampaign', { params: { id }, body: { name: 'Again' } }))
      .campaign.name,
    'Again',
  )
})

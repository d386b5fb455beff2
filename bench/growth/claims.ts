/**
 * What workers ask of the ledger, straight to the database: each a claim with the outcome of what
 * it claimed.
 */
import { randomUUID } from 'node:crypto'
import { insertBatchSender } from '../../src/db/campaigns/batch-senders.ts'
import { recordAndClaim } from '../../src/db/campaigns/campaign-claims.ts'
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { insertEvents } from '../../src/db/events/events.ts'
import { assumeMessagesDelivered } from '../../src/db/feedback/feedback.ts'
import { admitUnits } from '../../src/db/sending/admissions.ts'
import {
  claimRecipients,
  giveUpDoubts,
  messageContents,
  releaseLostLeases,
} from '../../src/db/sending/claims.ts'
import { dueWorkspaces } from '../../src/db/sending/due.ts'
import { recordOutcomes } from '../../src/db/sending/outcomes.ts'
import {
  claimDeliveries,
  recordAttempts,
  webhooksDue,
} from '../../src/db/webhooks/webhook-claims.ts'
import { makeIds } from '../../src/ground/ids.ts'

const workspaceId = 1
const groupSize = 20
const rules = {
  ...{ repeat: true, retryFirstSeconds: 60, retryMaxSeconds: 14_400, queueLifeSeconds: 172_800 },
  ...{ pendingSeconds: 1, silenceSeconds: 900 },
}
const times = { inlineSeconds: 10, leaseSeconds: 90 }

/** Each prepares what is measured; the measured part is the call of what it answers. */
export type Prepare = () => Promise<() => Promise<unknown>>

export async function workOfWorkers(
  db: Connection,
  webhookId: string,
): Promise<Record<string, Prepare>> {
  const makeId = makeIds(() => Date.now())
  const units = (inline: boolean) =>
    Array.from({ length: groupSize }, () => {
      const email = `${randomUUID()}@example.com`
      const message = {
        ...{
          id: makeId(),
          fromDomain: 'demo.test',
          head: headOf(email),
          subject: 'x',
          tags: null,
          messageId: 'x',
          scheduledAt: null,
        },
        ...{
          html: 'x',
          text: null,
          attachments: [],
          recipients: [{ kind: 'to' as const, email, key: email, inline }],
        },
      }
      return {
        idempotency: { key: email, fingerprint: Buffer.from('x') },
        apiKeyId: null,
        messages: [message],
      }
    })
  const claim = () =>
    claimRecipients(db, workspaceId, 'transactional', {
      max: groupSize,
      bytesMax: 1e9,
      leaseSeconds: 90,
    })
  const record = (rows: Awaited<ReturnType<typeof claim>>['claimed']) =>
    recordOutcomes(
      db,
      workspaceId,
      rows.map((row) => ({ ...row, event: 'sent', error: null, response: '250', copy: null })),
      rules,
    )
  const campaign = await openCampaign(db)
  let claims: Awaited<ReturnType<typeof recordAndClaim>>['claimed'] = []
  return {
    'admission of 20': () => {
      const requested = units(false)
      return Promise.resolve(async () => {
        await admitUnits(db, workspaceId, requested, times)
      })
    },
    'claim of 20 single mails': async () => {
      await admitUnits(db, workspaceId, units(false), times)
      return async () => {
        await claim()
      }
    },
    'contents and outcomes of 20': async () => {
      await admitUnits(db, workspaceId, units(false), times)
      const { claimed } = await claim()
      const ids = claimed.map(({ messageId }) => messageId)
      return async () => {
        await messageContents(db, workspaceId, ids)
        await record(claimed)
      }
    },
    'due workspaces': () => Promise.resolve(() => dueWorkspaces(db, 'transactional', 50, [])),
    'lost claims and overdue doubts': () =>
      Promise.resolve(async () => {
        await releaseLostLeases(db, workspaceId, 'transactional', rules)
        await giveUpDoubts(db, workspaceId, 'transactional')
      }),
    'assumed deliveries': () =>
      Promise.resolve(() =>
        assumeMessagesDelivered(db, workspaceId, {
          silenceSeconds: 900,
          max: 500,
          from: null,
          unsubscribedTypes: [],
        }),
      ),
    'webhooks due': () => Promise.resolve(() => webhooksDue(db, workspaceId)),
    'claim and outcomes of a campaign': () =>
      Promise.resolve(async () => {
        const sent = claims.map((row) => ({ ...row, response: '250' }))
        claims = (
          await recordAndClaim(db, campaign, {
            sent,
            max: groupSize,
            leaseSeconds: 90,
            batchSenderId: campaign.senderId,
          })
        ).claimed
      }),
    'publishing of 20 events': () =>
      Promise.resolve(() =>
        insertEvents(
          db,
          workspaceId,
          Array.from({ length: groupSize }, () => ({
            type: 'email.delivered' as const,
            data: '{}',
          })),
        ),
      ),
    'claim and attempts of 20 deliveries': async () => {
      await insertEvents(
        db,
        workspaceId,
        Array.from({ length: groupSize }, () => ({ type: 'email.delivered' as const, data: '{}' })),
      )
      return async () => {
        const { claimed } = await claimDeliveries(
          db,
          workspaceId,
          [{ webhookId, since: null, max: groupSize }],
          90,
        )
        await recordAttempts(
          db,
          workspaceId,
          claimed.map((row) => ({
            ...row,
            outcome: 'delivered',
            status: 200,
            durationMs: 1,
            body: '',
            error: null,
            sent: null,
          })),
          { failingSeconds: 86_400 },
        )
      }
    },
  }
}

const headOf = (address: string): string =>
  JSON.stringify({
    ...{ from: { name: 'Demo', address: 'hello@demo.test' }, to: [{ name: null, address }] },
    ...{ cc: [], bcc: [], replyTo: [], headers: [] },
  })

/** A campaign whose list is longer than what is claimed of it. */
async function openCampaign(db: Connection) {
  const [campaignId, senderId] = [randomUUID(), randomUUID()]
  await db.count(sql`
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email)
    select ${workspaceId}, ${campaignId}, gen_random_uuid(), 'list' || n || '@example.com' from generate_series(1, 50000) n`)
  await db.count(sql`
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending)
    values (${workspaceId}, ${campaignId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff', facteur_now(), 50000, 50000)`)
  await insertBatchSender(db, { workspaceId, campaignId }, senderId)
  return { workspaceId, campaignId, senderId }
}

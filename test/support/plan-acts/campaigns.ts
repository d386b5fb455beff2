/** The statements of a campaign's ledger (docs/decisions/0008), and a list of 40,000 recipients. */
import { claimStrays, recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import {
  markHandOffBegun,
  campaignRun,
  campaignsAtWork,
  completeCampaign,
  countHandOffs,
  passCanary,
} from '../../../src/db/campaigns/campaign-work.ts'
import {
  renewCampaignLeases,
  releaseLostRecipients,
} from '../../../src/db/campaigns/campaign-leases.ts'
import {
  cancelBatches,
  pauseBatches,
  resumeBatches,
  reopenCampaign,
  reopenPage,
  finalizeCancelled,
} from '../../../src/db/campaigns/campaign-control.ts'
import {
  lockCampaignRecipients,
  updateCampaignRecipientStatuses,
} from '../../../src/db/feedback/campaign-feedback.ts'
import { campaignSorts } from '../../../src/contract/workspace/drafts.ts'
import { listedCampaigns } from '../../../src/db/campaigns/campaign-list.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import { recipientsWanted } from '../../../src/contract/workspace/campaign-recipients.ts'
import { findRecipients } from '../../../src/db/campaigns/campaign-recipient-pages.ts'
import { recipientsPage } from '../../../src/db/campaigns/campaign-recipients.ts'
import { stopPendingInCampaigns } from '../../../src/db/suppression/campaign-suppression.ts'
import { raiseCampaignDue } from '../../../src/db/sending/due.ts'
import { countRetryable } from '../../../src/db/campaigns/campaign-pace.ts'
import { scannerRequests } from '../../../src/db/tracking/scanner-requests.ts'
import { reachesSoftBounceLimit } from '../../../src/db/feedback/soft-bounces.ts'
import { accountStatus } from '../../../src/db/workspaces/account-status.ts'
import type { Database } from '../../../src/database/client/database.ts'
import type { Acts, PlannedArea } from '../plans.ts'

const many = 40_000
const idOf = (number: number): string =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
/** Of the audience of another workspace: its subscribers differ. */
const workspaceId = 2
const key = { workspaceId, campaignId: idOf(1) }
const rules = {
  retryFirstSeconds: 60,
  retryMaxSeconds: 3600,
  queueLifeSeconds: 345_600,
  pendingSeconds: 1,
}
/** The leased recipients: the hundred that a batch sender claimed last. */
const withheld = Array.from({ length: 100 }, (_, index) => ({
  subscriberId: idOf(many / 2 - index),
  fence: 1,
}))

/** Others, who were handed over long ago. */
const reports = Array.from({ length: 100 }, (_, index) => ({
  campaignId: key.campaignId,
  subscriberId: idOf(1_000 + index),
}))

const acts: Acts = {
  'record and claim': (db) =>
    recordAndClaim(db, key, {
      sent: withheld.map((item) => ({ ...item, response: '250 ok' })),
      max: 100,
      leaseSeconds: 90,
    }),
  'claim strays': (db) => claimStrays(db, key, { max: 100, leaseSeconds: 90 }),
  renew: (db) => renewCampaignLeases(db, key, withheld, 90),
  'settle the lost': (db) => releaseLostRecipients(db, key, 1_000),
  'record outcomes': (db) =>
    recordCampaignOutcomes(
      db,
      key,
      withheld.map((item) => ({
        ...item,
        event: 'bounced',
        error: 'no',
        response: 'no',
        copy: null,
      })),
      rules,
    ),
  'hold a hundred for their news': (db) => lockCampaignRecipients(db, workspaceId, reports),
  'move a hundred': (db) =>
    updateCampaignRecipientStatuses(
      db,
      workspaceId,
      reports.map((report) => ({
        ...report,
        ...{
          known: 'sent',
          status: 'delivered',
          error: null,
          bounce: null,
          delivers: true,
          at: null,
          countsHandOff: false,
        },
      })),
    ),
  'count the soft bounces of an address': (db) =>
    reachesSoftBounceLimit(db, workspaceId, `p${many - 5}@example.com`, { inARow: 5, days: 7 }),
  'hand-offs that are not counted yet': (db) =>
    accountStatus(db, workspaceId, { countsRunning: true }),
  'close an address': (db) =>
    stopPendingInCampaigns(db, workspaceId, `p${many - 5}@example.com`, 'manual'),
  pause: (db) => pauseBatches(db, key, 'person'),
  resume: (db) => resumeBatches(db, key),
  cancel: (db) => cancelBatches(db, key),
  'settle the cancelled': (db) => finalizeCancelled(db, key, 500),
  'reopen the failed': (db) => reopenPage(db, key, { which: 'failed', after: idOf(100), max: 500 }),
  'reopen the campaign': (db) => reopenCampaign(db, key, null),
  'begin to hand over': (db) => markHandOffBegun(db, key),
  'what is at work': (db) => campaignsAtWork(db, workspaceId),
  'read the progress of the run': (db) => campaignRun(db, key),
  'pass the canary': (db) => passCanary(db, key),
  'count hand-offs': (db) => countHandOffs(db, key),
  complete: (db) => completeCampaign(db, key),
  'list recipients': (db) =>
    recipientsPage(db, key, { after: idOf(many - 900), max: 500, filter: 'failed' }),
  ...Object.fromEntries(
    recipientsWanted.map((expected) => [
      `look for those who are ${expected}`,
      (db: Database) =>
        findRecipients(db, key, { after: idOf(many / 4), scanMax: 200, max: 50, filter: expected }),
    ]),
  ),
  ...Object.fromEntries(
    campaignSorts.map((sort) => [
      `list campaigns by ${sort}`,
      (db: Database) =>
        listedCampaigns(db, workspaceId, {
          ...{ text: '', since: null, until: null, status: null },
          ...{
            sort,
            position: { id: idOf(2_500), date: '2026-01-01T00:00:00Z', name: '' },
            max: 51,
          },
        }),
    ]),
  ),
  'count who can be tried again': (db) => countRetryable(db, key, 1_000),
  'count the requests of scanners': (db) => scannerRequests(db, key, 1_000),
  'raise due': (db) => raiseCampaignDue(db, workspaceId, 30),
}

const fill = [
  `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
   select ${workspaceId}, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'p' || n || '@example.com', 'subscribed', facteur_now(), facteur_now()
   from generate_series(1, ${many}) n`,
  // One is on its way and half done; many others were sent long ago.
  `insert into campaign (workspace_id, id, name, subject, format, source, status, frozen_at, quota_month, created_at, updated_at)
   select ${workspaceId}, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '', '', 'text', '{}', case n when 1 then 'sending' else 'sent' end,
     facteur_now(), '2026-01-01', facteur_now(), facteur_now()
   from generate_series(1, 5000) n`,
  `insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, fence, attempts, leased_until, next_at, sent_at)
   select ${workspaceId}, '${key.campaignId}', id, email,
     case when n <= ${many / 2 - 100} then 'settled' when n <= ${many / 2} then 'leased' else 'pending' end,
     case when n % 1000 = 7 then 'failed' when n <= ${many / 2 - 100} then 'sent' else 'queued' end, 1, 1,
     case when n > ${many / 2 - 100} and n <= ${many / 2} then facteur_now() end, case when n % 500 = 0 and n > ${many / 2} then facteur_now() end,
     case when n <= ${many / 2 - 100} and n % 1000 <> 7 then facteur_now() end
   from subscriber cross join lateral (select right(id::text, 12)::int as n) x where workspace_id = ${workspaceId}`,
  `insert into campaign_run (workspace_id, campaign_id, claimed_to, low_water, last_id, opens_at, recipients, pending)
   select ${workspaceId}, id, '${idOf(many / 2)}', '${idOf(many / 2 - 150)}', '${idOf(many)}', facteur_now(), ${many}, ${many / 2} from campaign where workspace_id = ${workspaceId}`,
  // Every other one opened, few clicked and left, and programs looked through all of it.
  `insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, visitor, user_agent, at)
   select ${workspaceId}, gen_random_uuid(), '${key.campaignId}', subscriber_id, kind, case when n % 2 = 0 and (kind = 'open' or n % 2000 = 0) then 'person' else 'scanner' end, '', facteur_now()
   from campaign_recipient cross join lateral (select right(subscriber_id::text, 12)::int as n) x cross join unnest(array['open', 'click']) kind
   where workspace_id = ${workspaceId} and n > ${many / 4}`,
  `insert into campaign_failure select ${workspaceId}, '${key.campaignId}', became, subscriber_id
   from campaign_recipient cross join unnest(array['bounced', 'complained', 'failed']) became where workspace_id = ${workspaceId}`,
  `update campaign_recipient set unsubscribed_at = facteur_now() where workspace_id = ${workspaceId} and right(subscriber_id::text, 3) = '777'`,
  `insert into suppression (workspace_id, email, id, reason, created_at)
   select ${workspaceId}, 'gone' || n || '@example.com', gen_random_uuid(), 'unsubscribe', facteur_now() from generate_series(1, ${many}) n`,
  `insert into due select n, 'campaign', facteur_now() + interval '1 hour' from generate_series(1, 20000) n`,
]

export const campaigns: PlannedArea = {
  acts,
  answer: { next: new Date(), pending: 1, lost: 0, more: false },
  rows: many,
  big: [
    ...[
      'campaign_recipient',
      'subscriber',
      'suppression',
      'platform_suppression',
      'campaign',
      'campaign_run',
      'due',
    ],
    ...['engagement', 'campaign_failure'],
  ],
  // A claim of a hundred reads them to find them and again to change them; some acts read a page of
  // the list.
  readMax: () => 3_000,
  prepare: '',
  fill,
}

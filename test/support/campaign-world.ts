/** The start of tests of campaigns: subscribers, a draft, a send, and the state of the ledger. */
import assert from 'node:assert/strict'
import { sql } from '../../src/database/client/sql.ts'
import { runOn } from './database.ts'
import type { Api, TestWorkspace } from './api.ts'
import { ask, textAt, type Answer } from './ask.ts'
import { until } from './until.ts'

/** `person1@example.com` to `person<count>@example.com`, subscribed. */
export async function addSubscribers(
  api: Api,
  { id }: TestWorkspace,
  count: number,
  domain = 'example.com',
): Promise<void> {
  await runOn(
    api.database.url,
    `insert into subscriber (workspace_id, id, email, status, created_at, updated_at, first_name)
     select ${id}, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'person' || n || '@${domain}', 'subscribed',
       facteur_now(), facteur_now(), 'Person ' || n
     from generate_series(1, ${count}) n;
     insert into subscriber_tally (workspace_id, change) values (${id}, ${count})`,
  )
}

export async function draftOf(
  api: Api,
  workspace: TestWorkspace,
  body: object = {},
): Promise<string> {
  const campaign = {
    name: 'News',
    subject: 'News for {{firstName}}',
    text: 'Dear {{firstName}},\n\nsee https://example.com/news',
    ...body,
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/campaigns', {
    key: workspace.key,
    body: campaign,
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

export const send = (api: Api, workspace: TestWorkspace, id: string): Promise<Answer> =>
  ask(api.baseUrl, `POST /api/v1/campaigns/${id}/send`, { key: workspace.key })

export interface CampaignState {
  status: string
  paused: string | null
  notice: string | null
  recipients: number
  pending: number
  sent: number
  failed: number
  suppressed: number
  inDoubt: number
}

export async function campaignRow(
  api: Pick<Api, 'service'>,
  { id: workspaceId }: TestWorkspace,
  id: string,
): Promise<CampaignState> {
  const [row] = await api.service.db.rows<CampaignState>(sql`
    select c.status, c.pause_reason as paused, c.notice, p.recipients, p.pending, p.sent, p.failed, p.suppressed, p.in_doubt
    from campaign c left join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}`)
  assert.ok(row)
  return row
}

/** The ledger's rows by address. */
export function recipientsOf(
  api: Pick<Api, 'service'>,
  { id: workspaceId }: TestWorkspace,
  id: string,
) {
  return api.service.db.rows<{
    email: string
    state: string
    status: string
    error: string | null
    attempts: number
    troubles: number
    fence: number
  }>(sql`
    select email, state, status, error, attempts, troubles, fence from campaign_recipient
    where workspace_id = ${workspaceId} and campaign_id = ${id} order by subscriber_id`)
}

/** Mails of the service itself to the workspace, the oldest first. */
export const noticesTo = (
  api: Pick<Api, 'service'>,
  { id }: TestWorkspace,
): Promise<{ subject: string; text: string; email: string }[]> =>
  api.service.db.rows<{ subject: string; text: string; email: string }>(sql`
    select m.subject, b.text, r.email from message m
    join message_body b on b.workspace_id = m.workspace_id and b.message_id = m.id
    join recipient r on r.workspace_id = m.workspace_id and r.message_id = m.id
    where m.workspace_id = ${id} and m.notice order by m.created_at, m.id`)

/** Waits for a state of the campaign. */
export const untilCampaign = (
  api: Pick<Api, 'service'>,
  workspace: TestWorkspace,
  id: string,
  isSo: (state: CampaignState) => boolean,
): Promise<CampaignState> => until(() => campaignRow(api, workspace, id), isSo)

export const untilSent = (
  api: Pick<Api, 'service'>,
  workspace: TestWorkspace,
  id: string,
): Promise<CampaignState> => untilCampaign(api, workspace, id, ({ status }) => status === 'sent')

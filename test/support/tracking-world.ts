/** Campaigns that were handed over, as rows: opens, clicks and feedback then come for them. */
import { sql } from '../../src/database/client/sql.ts'
import { messageSubject } from '../../src/core/sending/track-subject.ts'
import type { Api, TestWorkspace } from './api.ts'

export interface SentCampaign {
  id: string
  /** In the order of the frozen list. */
  contacts: string[]
  /** The path of one's pixel. */
  pixel(contact: number): string
  /** The path of one's n-th link. */
  link(contact: number, position: number): string
}

export interface SentOptions {
  contacts?: number
  links?: string[]
  /** How long ago the hand-off began, and every mail was handed over. */
  secondsAgo?: number
  /** Other values for columns of every recipient's row. */
  row?: { state?: string; status?: string; attempts?: number; sent?: boolean }
}

/** A campaign whose mails were all handed over, unless `row` says otherwise. */
export async function sentCampaign(
  api: Api,
  workspace: TestWorkspace,
  options: SentOptions = {},
): Promise<SentCampaign> {
  const {
    contacts: count = 3,
    links = ['https://example.com/a', 'https://example.com/b'],
    secondsAgo = 3600,
    row = {},
  } = options
  const {
    state = 'settled',
    status = 'sent',
    attempts = 1,
    sent = state === 'settled' && status === 'sent',
  } = row
  const { db, makeId, linkTokens } = api.service
  const id = makeId()
  const contacts = Array.from({ length: count }, () => makeId())
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, from_email, format, source, status, sent_at, frozen_at, created_at, updated_at)
    select ${workspace.id}, ${id}, 'News', 'News', 'hello@example.com', 'text', '""'::json, 'sent', t.at, t.at, t.at, t.at
    from (select date_trunc('milliseconds', facteur_now()) - make_interval(secs => ${secondsAgo}) as at) t`)
  await db.count(sql`
    insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    select ${workspace.id}, id, 'p' || place || '.' || ${id} || '@example.com', 'subscribed', facteur_now(), facteur_now()
    from unnest(${contacts}::uuid[]) with ordinality as t (id, place)`)
  await db.count(sql`
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, sent_at)
    select ${workspace.id}, ${id}, id, 'p' || place || '.' || ${id} || '@example.com', ${state}, ${status}, ${attempts},
      case when ${sent} then facteur_now() - make_interval(secs => ${secondsAgo}) end
    from unnest(${contacts}::uuid[]) with ordinality as t (id, place)`)
  await db.count(sql`
    with run as materialized (
      select max(subscriber_id::text)::uuid, facteur_now(), count(*), count(*) filter (where place = 'pending') as pending,
        count(*) filter (where place = 'sent') as sent, count(*) filter (where place = 'failed') as failed,
        count(*) filter (where place = 'suppressed') as suppressed, count(*) filter (where place = 'in_doubt') as in_doubt
      from (
        select *, campaign_place(state, status, sent_at) as place from campaign_recipient
        where workspace_id = ${workspace.id} and campaign_id = ${id}
      ) r having count(*) > 0
    )
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent, failed, suppressed, in_doubt)
    select ${workspace.id}::bigint, ${id}::uuid, run.* from run`)
  // As at a freeze: the sources of its deliveries are counted.
  await db.count(sql`
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count) values (${workspace.id}, ${id}, 'assumed', '', 0)`)
  await db.count(sql`
    insert into campaign_link (workspace_id, campaign_id, position, url)
    select ${workspace.id}, ${id}, place - 1, url from unnest(${links}::text[]) with ordinality as t (url, place)`)
  const token = (contact: number): string =>
    linkTokens.make('track', {
      workspaceId: workspace.id,
      first: id,
      second: contacts[contact] ?? '',
    })
  return {
    ...{ id, contacts },
    pixel: (contact) => `/o/${token(contact)}`,
    link: (contact, position) => `/c/${token(contact)}/${position}`,
  }
}

/** The paths of a single message's pixel and links. */
export function messagePaths(
  { service }: Api,
  workspace: TestWorkspace,
  messageId: string,
  position = 0,
) {
  const token = service.linkTokens.make('track', messageSubject(workspace.id, messageId, position))
  return { pixel: `/o/${token}`, link: (index: number) => `/c/${token}/${index}` }
}

export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
export const gmailRelay =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
export const filter = 'BarracudaCentral/1.0'

/** Fetches a tracked address as this program does; nothing is followed. */
export function open(
  api: Api,
  path: string,
  userAgent = browser,
  init: { method?: string; headers?: Record<string, string> } = {},
) {
  return fetch(api.baseUrl + path, {
    redirect: 'manual',
    method: init.method ?? 'GET',
    headers: { 'user-agent': userAgent, ...init.headers },
  })
}

/** The counters of a campaign, as `measure/label`; counters of zero are absent. */
export async function tallies(
  { service }: Api,
  { id }: TestWorkspace,
  campaignId: string,
): Promise<Record<string, number>> {
  const rows = await service.db.rows<{ name: string; count: number }>(sql`
    select measure || case label when '' then '' else '/' || label end as name, count::int as count from campaign_tally
    -- Complaints that may pause it are counted by address, whatever campaign they are about.
    where workspace_id = ${id} and campaign_id = ${campaignId} and count <> 0 and measure <> 'proven_complaint' order by 1`)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

export interface RecipientState {
  state: string
  status: string
  opened: boolean
  clicked: boolean
  deliveredBy: string | null
}

/** The rows of the frozen list, in its order. */
export function recipients(
  { service }: Api,
  { id }: TestWorkspace,
  campaignId: string,
): Promise<RecipientState[]> {
  return service.db.rows<RecipientState>(sql`
    select state, status, opened_at is not null as opened, clicked_at is not null as clicked, delivered_by
    from campaign_recipient where workspace_id = ${id} and campaign_id = ${campaignId} order by subscriber_id`)
}

/** The five of progress, which must add up to the recipients. */
export async function progress(
  { service }: Api,
  { id }: TestWorkspace,
  campaignId: string,
): Promise<Record<string, number>> {
  const counts = await service.db.value<Record<string, number>>(sql`
    select json_build_object('pending', pending, 'sent', sent, 'failed', failed, 'suppressed', suppressed, 'in_doubt', in_doubt)
    from campaign_run where workspace_id = ${id} and campaign_id = ${campaignId}`)
  return counts ?? {}
}

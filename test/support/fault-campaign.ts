/**
 * A campaign that faults are played on: its subscribers, its send, samples of its counters by the
 * API, and the checks at the end.
 */
import { passesLater } from '../../src/database/client/database-errors.ts'
import { sql } from '../../src/database/client/sql.ts'
import { runOn } from './database.ts'
import { call, callUntilAnswered, rest, describeEnd, type CallEnd } from './fault-calls.ts'
import { comesToNone } from './fault-ledger.ts'
import type { FaultWorkspace } from './fault-world.ts'
import type { RefereeMail } from './referee-sink.ts'
import { until } from './until.ts'

export const addressOf = (n: number): string => `person${n}@example.test`

/** Subscribers, and a draft for them. */
export async function draftFor(
  world: FaultWorkspace,
  { port, contacts, domain = null }: { port: number; contacts: number; domain?: string | null },
): Promise<string> {
  await runOn(
    world.url,
    `insert into subscriber (workspace_id, id, email, status, created_at, updated_at, first_name)
     select ${world.workspaceId}, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       ${domain === null ? `'person' || n || '@example.test'` : `case when n % 2 = 0 then 'person' || n || '@example.test' else 'deferred+' || n || '@${domain}' end`},
       'subscribed', facteur_now(), facteur_now(), 'Person ' || n
     from generate_series(1, ${contacts}) n;
     insert into subscriber_tally (workspace_id, change) values (${world.workspaceId}, ${contacts})`,
  )
  const body = {
    name: 'Faults',
    subject: 'For {{firstName}}',
    text: 'Dear {{firstName}}, see https://example.com/',
  }
  const end = await callUntilAnswered({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/campaigns',
    body,
  })
  const id = typeof end === 'string' ? undefined : (end.body as { id?: string }).id
  if (id === undefined) throw new Error(`A draft was answered ${describeEnd(end)}`)
  return id
}

export const sendOnce = (world: FaultWorkspace, port: number, id: string): Promise<CallEnd> =>
  call({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: `POST /api/v1/campaigns/${id}/send`,
  })

export const sendUntilAnswered = (
  world: FaultWorkspace,
  port: number,
  id: string,
): Promise<CallEnd> =>
  callUntilAnswered({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: `POST /api/v1/campaigns/${id}/send`,
  })

export interface RecipientRow {
  email: string
  state: string
  status: string
  error: string | null
  sent: boolean
}

export function readRecipients(
  { db, workspaceId }: FaultWorkspace,
  id: string,
): Promise<RecipientRow[]> {
  return db.rows<RecipientRow>(sql`
    select email, state, status, error, sent_at is not null as sent from campaign_recipient
    where workspace_id = ${workspaceId} and campaign_id = ${id} order by subscriber_id`)
}

interface Shown {
  status: string
  recipients: number
  progress: { pending: number; sent: number; failed: number; suppressed: number; in_doubt: number }
}

/** Fewer show nothing. */
const samplesMin = 5

/**
 * Asks the API again and again, and looks at each answer: the counters add up, and `sent` is said
 * at the end and not before.
 */
export function sample(
  world: FaultWorkspace,
  { port, id }: { port: number; id: string },
): { stop(): Promise<{ wrong: string[] }> } {
  const stopped = new AbortController()
  const wrong: string[] = []
  let samples = 0
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const end = await call({
        url: world.addressOf(port),
        apiKey: world.apiKey,
        line: `GET /api/v1/campaigns/${id}`,
      })
      if (typeof end !== 'string' && end.status === 200) {
        samples++
        const { status, recipients, progress } = end.body as Shown
        const { pending, sent, failed, suppressed, in_doubt } = progress
        if (
          pending + sent + failed + suppressed + in_doubt !== recipients ||
          Math.min(...Object.values(progress)) < 0
        )
          wrong.push(`a sample does not add up: ${JSON.stringify({ recipients, ...progress })}`)
        if (status === 'sent' && pending > 0)
          wrong.push(`called sent while ${pending} were pending`)
      }
      await rest(30)
    }
  }
  const running = run()
  return {
    async stop() {
      await until(() => samples >= samplesMin)
      stopped.abort()
      await running
      return { wrong }
    },
  }
}

/** Waits for `sent`; answers how it stands when that takes longer than a wait may. */
export async function whatIsNotSent(
  { db, workspaceId }: FaultWorkspace,
  id: string,
  withinMs?: number,
): Promise<string[]> {
  let row: Pick<Shown, 'status' | 'progress'> | undefined
  const isSent = async (): Promise<boolean> => {
    try {
      ;[row] = await db.rows<Pick<Shown, 'status' | 'progress'>>(sql`
        select c.status, row_to_json(p) as progress from campaign c
        join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = c.id
        where c.workspace_id = ${workspaceId} and c.id = ${id}`)
    } catch (error) {
      if (!passesLater(error)) throw error
    }
    return row?.status === 'sent'
  }
  if (await comesToNone(isSent, () => row?.progress.pending ?? 0, withinMs)) return []
  return [`still ${row?.status}: ${JSON.stringify(row?.progress)}`]
}

/**
 * The referee has the mails of the frozen list, minus the recipients completed as suppressed. No
 * recipient has two, and an outcome in doubt loses none.
 */
export function checkCampaign(
  rows: RecipientRow[],
  frozen: Set<string>,
  mails: RefereeMail[],
): string[] {
  const copies = Map.groupBy(mails, (mail) => mail.to.join(' '))
  const wrong = [...copies.keys()]
    .filter((to) => !frozen.has(to))
    .map((to) => `a mail to ${to}, who is not on the list`)
  if (rows.length !== frozen.size)
    wrong.push(`${frozen.size} were frozen, ${rows.length} are there`)
  for (const { email, state, status, error, sent } of rows) {
    const count = copies.get(email)?.length ?? 0
    const name = `${email} (${state}, ${status}, ${error ?? 'no error'})`
    if (count > 1) wrong.push(`doubled: ${name} arrived ${count} times`)
    if (state === 'settled' && sent && count === 0)
      wrong.push(`lost: ${name} is called sent, the referee has nothing`)
    if (state === 'settled' && !sent && count > 0) wrong.push(`not told: ${name} has arrived`)
    if (state !== 'settled' && state !== 'in_doubt') wrong.push(`open: ${name}`)
    if (status === 'failed') wrong.push(`given up: ${name}`)
  }
  return wrong
}

/** The counters say what the rows say. */
export async function checkCounters(
  { db, workspaceId }: FaultWorkspace,
  id: string,
): Promise<string[]> {
  const rows = await db.rows<{ place: string; rows: number; counted: number }>(sql`
    select places.place, (select count(*) from campaign_recipient r where r.workspace_id = ${workspaceId} and r.campaign_id = ${id}
        and campaign_place(r.state, r.status, r.sent_at) = places.place) as rows,
      (to_json(p) ->> places.place)::int8 as counted
    from campaign_run p cross join (values ('pending'), ('sent'), ('failed'), ('suppressed'), ('in_doubt')) as places (place)
    where p.workspace_id = ${workspaceId} and p.campaign_id = ${id}`)
  return rows
    .filter((row) => row.rows !== row.counted)
    .map(
      ({ place: failpoint, rows: are, counted }) =>
        `${are} are ${failpoint}, ${counted} are counted`,
    )
}

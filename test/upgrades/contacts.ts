/**
 * What recipients and their mail hosts do with the mails of a steady load: addresses that do not
 * exist bounce to the inbound port, each report twice and at two processes; readers open a mail and
 * follow its link; visitors sign up by a form and confirm.
 */
import PostalMime from 'postal-mime'
import { sql } from '../../src/database/client/sql.ts'
import { deliveryReport } from '../inbound/world.ts'
import { rest } from '../support/fault-calls.ts'
import type { World } from '../support/fault-world.ts'
import type { RefereeMail } from '../support/referee-sink.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { handIn } from '../support/smtp-talk.ts'
import { browser } from '../support/tracking-world.ts'
import { comes } from '../support/until.ts'

export interface Contacts {
  /** Ends the visits, and reacts to each mail that has arrived by then. */
  stop(): Promise<ContactRecord>
}

export interface ContactRecord {
  /** Addresses of mails that came back. */
  bounced: string[]
  /** Addresses whose mail was opened once and whose link was followed once. */
  read: string[]
  /** Addresses that signed up and confirmed. */
  confirmed: string[]
  /** Each step that was not answered as it should be, in words. */
  failures: string[]
}

export interface ContactPlaces {
  /** Where the pages are. */
  port: number
  /** The inbound ports of the processes that run now. */
  inbound(): number[]
  /** The path of a sign-up form. */
  form: string
}

/** Fewer show nothing; more are above the limit of one network in an hour. */
const [signUpsMin, signUpsMax] = [3, 15]

export function startContacts(world: World, places: ContactPlaces): Contacts {
  const record: ContactRecord = { bounced: [], read: [], confirmed: [], failures: [] }
  const signedUp: string[] = []
  const base = world.addressOf(places.port)
  const stopped = new AbortController()
  const failing = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => record.failures.push(`${what}: ${String(error)}`))
  }
  const known = new Set<string>()
  const reactToNew = async (): Promise<void> => {
    // As people do, after the sender knows that it has left.
    const sent = new Set(await sentTo(world))
    for (const mail of world.mails()) {
      const [to = ''] = mail.to
      if (!sent.has(to) || known.has(to)) continue
      known.add(to)
      await failing(`a mail to ${to}`, () => react(mail, { to, base, places, record }))
    }
  }
  const reacting = (async () => {
    for (; !stopped.signal.aborted; await rest(500)) await reactToNew()
  })()
  const visiting = (async () => {
    while (signedUp.length < (stopped.signal.aborted ? signUpsMin : signUpsMax)) {
      const email = `visitor-${signedUp.length}@example.test`
      await failing(`the sign-up of ${email}`, async () => {
        // The form holds its answer until a person could have filled it in.
        const answer = await press(base, await open(base, places.form), { email })
        if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
        signedUp.push(email)
      })
      if (record.failures.length > 0) return
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await Promise.all([reacting, visiting])
      await comes(async () => {
        await reactToNew()
        return record.confirmed.length + record.failures.length >= signedUp.length
      })
      for (const email of signedUp)
        if (!record.confirmed.includes(email)) record.failures.push(`no mail asked ${email}`)
      return record
    },
  }
}

const sentTo = ({ db, workspaceId }: World): Promise<string[]> =>
  db.column<string>(
    sql`select email from recipient where workspace_id = ${workspaceId} and state = 'settled'`,
  )

async function react(
  mail: RefereeMail,
  {
    to,
    base,
    places,
    record,
  }: { to: string; base: string; places: ContactPlaces; record: ContactRecord },
): Promise<void> {
  if (to.startsWith('bounces-')) {
    await handBackTwice(mail, places.inbound())
    record.bounced.push(to)
  }
  if (to.startsWith('reads-')) {
    const { html = '' } = await PostalMime.parse(mail.bytes)
    await get(/src="([^"]*\/o\/[^"]+)"/.exec(html)?.[1], 200)
    await get(/href="([^"]*\/c\/[^"]+)"/.exec(html)?.[1], 302)
    record.read.push(to)
  }
  if (to.startsWith('visitor-')) {
    const { text = '' } = await PostalMime.parse(mail.bytes)
    const page = await press(
      base,
      await open(base, /http\S+\/confirm\/\S+/.exec(text)?.[0] ?? 'no link'),
    )
    if (page.status !== 200) throw new Error(`the confirmation was answered ${page.status}`)
    record.confirmed.push(to)
  }
}

async function get(url: string | undefined, expected: number): Promise<void> {
  if (url === undefined) throw new Error('a link is missing')
  const { status } = await fetch(url, { redirect: 'manual', headers: { 'user-agent': browser } })
  if (status !== expected) throw new Error(`${url} was answered ${status}`)
}

/** A mail host that lost the answer hands a report over again, and may reach another process. */
export async function handBackTwice(mail: RefereeMail, ports: number[]): Promise<void> {
  const report = {
    to: mail.from,
    bytes: deliveryReport(
      `Final-Recipient: rfc822; ${mail.to[0]}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user`,
    ),
  }
  for (const order of [ports, ports.toReversed()]) {
    let reply = 'no port'
    // As a mail host does: the next one, where one does not answer.
    for (const port of order) {
      reply = await handIn(port, report).catch(String)
      if (reply.startsWith('250')) break
    }
    if (!reply.startsWith('250')) throw new Error(`its report was answered ${reply}`)
  }
}

/**
 * Each report counts once, each reader has one open and one click, and each visitor is on the list.
 */
export async function checkContacts(
  { db, workspaceId }: World,
  { bounced, read, confirmed, failures }: ContactRecord,
): Promise<string[]> {
  const counted = await db.onlyRow<{ reports: number; bounces: number }>(sql`
    select (select count(*)::int from feedback where workspace_id = ${workspaceId}) as reports,
      (select coalesce(sum(bounces), 0)::int from reputation_day where workspace_id = ${workspaceId}) as bounces`)
  const suppressed = new Set(
    await db.column<string>(sql`
    select s.email from suppression s join recipient r on r.workspace_id = ${workspaceId} and r.email = s.email and r.status = 'bounced'
    where s.workspace_id = ${workspaceId}`),
  )
  const engaged = await db.rows<{ email: string; opens: number; clicks: number }>(sql`
    select r.email, count(*) filter (where e.kind = 'open')::int as opens, count(*) filter (where e.kind = 'click')::int as clicks
    from recipient r join engagement e on e.workspace_id = ${workspaceId} and e.message_id = r.message_id
    where r.workspace_id = ${workspaceId} group by r.email`)
  const subscribed = new Set(
    await db.column<string>(sql`
    select email from subscriber where workspace_id = ${workspaceId} and status = 'subscribed' and email like 'visitor-%'`),
  )
  const once = new Set(
    engaged.filter(({ opens, clicks }) => opens === 1 && clicks === 1).map(({ email }) => email),
  )
  const few = Object.entries({ bounced, read, confirmed }).filter(
    ([, { length }]) => length < signUpsMin,
  )
  return [
    ...failures,
    ...few.map(([name, { length }]) => `only ${length} were ${name}`),
    ...(counted.reports === bounced.length
      ? []
      : [`${counted.reports} reports of ${bounced.length} bounces are stored`]),
    ...(counted.bounces === bounced.length
      ? []
      : [`${counted.bounces} bounces of ${bounced.length} are counted`]),
    ...bounced
      .filter((email) => !suppressed.has(email))
      .map((email) => `${email} bounced and is not suppressed`),
    ...read
      .filter((email) => !once.has(email))
      .map((email) => `${email} has not one open and one click`),
    ...(engaged.length === read.length
      ? []
      : [`${engaged.length} mails were read, not ${read.length}`]),
    ...confirmed
      .filter((email) => !subscribed.has(email))
      .map((email) => `${email} confirmed and is not subscribed`),
  ]
}

/**
 * A campaign with an audience whose freeze is killed at every step, beside one that is being sent,
 * and tried again: the ledger holds exactly the contacts that a plain rule chooses, each of them
 * debited once.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../src/database/client/sql.ts'
import { callVerb } from '../support/call-verb.ts'
import { callUntilAnswered } from '../support/fault-calls.ts'
import {
  addressOf,
  draftFor,
  readRecipients,
  sendUntilAnswered,
} from '../support/fault-campaign.ts'
import { debited } from '../support/fault-ledger.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'
import { makeIds } from '../../src/ground/ids.ts'
import type { Scenario } from './scenario.ts'

/** Of the freeze, in their order. Null means at any moment. */
const places = ['freeze.before_insert', 'freeze.after_insert', 'freeze.after_commit', null] as const
type KillPoint = (typeof places)[number]

export const campaignTargeted: Scenario = {
  name: 'campaign-targeted',
  promise:
    'a freeze of a targeted campaign killed at every step: exactly the chosen contacts are frozen, and debited once',
  broken: ['segments.version'],
  async play(run) {
    const wrong: string[] = []
    for (const failpoint of places)
      wrong.push(
        ...(await playKill(run, failpoint)).map((what) => `killed at ${failpoint}: ${what}`),
      )
    return wrong
  },
}

async function playKill(run: Run, failpoint: KillPoint): Promise<string[]> {
  const world = await openWorld(run)
  const contacts = run.whole ? 20_000 : 2_000
  const here = await world.serve({ smtpUrl: null })
  const id = await draftFor(world, { port: here, contacts })
  await sendAnother(world, { port: here, id })
  await tagThem(world)
  await chooseAudience(world, id)
  // The scheduler freezes it; a process that is killed in the middle is followed by another.
  await runOn(
    world.url,
    `update campaign set status = 'scheduled', scheduled_at = facteur_now() where id = '${id}';
     insert into due (workspace_id, lane, next_at) values (${world.workspaceId}, 'campaign', facteur_now())
     on conflict (workspace_id, lane) do update set next_at = excluded.next_at`,
  )
  const failpoints = failpoint === null ? [] : [`${failpoint}:kill@1`]
  const worker = await world.start({ role: 'worker', smtpUrl: null, failpoints })
  await Promise.race([worker.ended, failpoint === null ? run.draw.moment(0, 300) : worker.ended])
  await worker.kill()
  await world.start({ role: 'worker', smtpUrl: null })
  await until(
    () => readRecipients(world, id),
    (rows) => rows.length > 0,
  )
  return checkFrozen(world, { id, contacts })
}

/** Every second one is a customer, and every sixth a customer who complained once. */
const isCustomer = (n: number): boolean => n % 2 === 0
const isUneasy = (n: number): boolean => n % 3 === 0
const isSuppressed = (n: number): boolean => n % 10 === 0
/** Every seventh left the topic. */
const hasLeft = (n: number): boolean => n % 7 === 0
/**
 * Every eleventh is on the list of a campaign that is being sent. Nobody of them is suppressed, so that
 * it gives none of its debit back when its window for an undo ends.
 */
const waits = (n: number): boolean => n % 11 === 0 && !isSuppressed(n)
const topic = '00000000-0000-0000-0000-00000000007e'
const segment = '00000000-0000-0000-0000-00000000005e'

/** A copy of the draft, whose window for an undo is open. The others are suppressed until it is frozen. */
async function sendAnother(
  world: World,
  { port, id }: { port: number; id: string },
): Promise<void> {
  await runOn(
    world.url,
    `insert into suppression (workspace_id, email, id, reason, created_at)
     select ${world.workspaceId}, email, gen_random_uuid(), 'manual', facteur_now() from subscriber
     where substring(email from 'person([0-9]+)@')::int % 11 <> 0
       or substring(email from 'person([0-9]+)@')::int % 10 = 0`,
  )
  const copy = await callUntilAnswered({
    ...{ url: world.addressOf(port), apiKey: world.apiKey },
    line: `POST /api/v1/campaigns/${id}/duplicate`,
  })
  const another = typeof copy === 'string' ? null : at(copy.body, 'id')
  await sendUntilAnswered(world, port, String(another))
  await runOn(world.url, `delete from suppression where workspace_id = ${world.workspaceId}`)
}

const tagThem = ({ url, workspaceId }: World) =>
  runOn(
    url,
    `insert into subscriber_tag (workspace_id, name, created_at)
     select ${workspaceId}, name, facteur_now() from unnest('{customer,uneasy}'::text[]) t (name);
     update subscriber s set tags = array_remove(array[
       case when n % 2 = 0 then 'customer' end, case when n % 3 = 0 then 'uneasy' end], null)
     from (select id, substring(email from 'person([0-9]+)@')::int as n from subscriber) k
     where s.id = k.id and s.workspace_id = ${workspaceId};
     insert into suppression (workspace_id, email, id, reason, created_at)
     select ${workspaceId}, email, gen_random_uuid(), 'manual', facteur_now() from subscriber
     where substring(email from 'person([0-9]+)@')::int % 10 = 0;
     insert into topic (workspace_id, id, name, by_default, created_at)
     values (${workspaceId}, '${topic}', 'News', true, facteur_now());
     insert into topic_choice (workspace_id, topic_id, subscriber_id, subscribed, chosen_at)
     select workspace_id, '${topic}', id, false, facteur_now() from subscriber
     where workspace_id = ${workspaceId} and substring(email from 'person([0-9]+)@')::int % 7 = 0
       -- Citus writes a broken statement for its nodes unless a volatile function keeps it here.
       and random() >= 0`,
  )

/** The segment was everybody before it was changed. */
async function chooseAudience({ db, url, workspaceId }: World, id: string): Promise<void> {
  await runOn(
    url,
    `insert into segment (workspace_id, id, name, definition, version, created_at, updated_at)
     values (${workspaceId}, '${segment}', 'Customers', '{"tag": "customer"}', 2, facteur_now(), facteur_now())`,
  )
  const ctx = { db, wake: () => undefined, makeId: makeIds(Date.now) }
  const body = {
    to: { segment },
    except: [{ tag: 'uneasy' }, { received: { within_days: 7 } }],
  }
  await callVerb(ctx, workspaceId, 'setCampaignAudience', { params: { id }, body })
  await callVerb(ctx, workspaceId, 'setCampaignTopic', { params: { id }, body: { topic } })
}

async function checkFrozen(
  world: World,
  { id, contacts }: { id: string; contacts: number },
): Promise<string[]> {
  const all = Array.from({ length: contacts }, (_, index) => index + 1)
  const customers = all.filter((n) => isCustomer(n) && !isSuppressed(n))
  const chosen = customers.filter((n) => !isUneasy(n) && !waits(n))
  const uneasy = customers.filter(isUneasy).length
  const waiting = customers.length - uneasy - chosen.length
  const toDebit = chosen.filter((n) => !hasLeft(n)).length + all.filter(waits).length
  const expected = chosen.filter((n) => !hasLeft(n)).map(addressOf)
  const frozen = (await readRecipients(world, id)).map(({ email }) => email)
  const used = await debited(world.db, world.workspaceId)
  const [row] = await world.db.rows<{
    recipients: number
    version: boolean
    left: number
    except: unknown
  }>(sql`
    select p.recipients, c.frozen_audience is not null as version, c.topic_left as left,
      c.except_left as except
    from campaign_run p join campaign c on c.workspace_id = ${world.workspaceId} and c.id = p.campaign_id
    where p.workspace_id = ${world.workspaceId} and p.campaign_id = ${id}`)
  const addresses = new Set(expected)
  const strangers = frozen.filter((email) => !addresses.has(email))
  return [
    ...(strangers.length > 0 ? [`${strangers.length} were frozen who were not chosen`] : []),
    ...(frozen.length === expected.length
      ? []
      : [`${frozen.length} were frozen of ${expected.length}`]),
    ...(used === toDebit ? [] : [`${used} were debited for ${toDebit}`]),
    ...(row?.recipients === expected.length && row.version ? [] : ['the run counts others']),
    ...(row?.left === chosen.length - expected.length ? [] : [`${row?.left} left the topic`]),
    ...(isDeepStrictEqual(row?.except, { 'except.0': uneasy, 'except.1': waiting })
      ? []
      : [`the exclusions left out ${JSON.stringify(row?.except)}`]),
  ]
}

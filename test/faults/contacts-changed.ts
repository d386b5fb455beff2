/**
 * Changes of many contacts whose worker is killed at every step: another goes on, each frozen
 * contact is changed once, and the result counts each of them once.
 */
import { sql } from '../../src/database/client/sql.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { makeIds } from '../../src/ground/ids.ts'
import type { Scenario } from './scenario.ts'
import { callVerb } from '../support/call-verb.ts'
import { runOn } from '../support/database.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { until } from '../support/until.ts'

type Kill = readonly [action: 'tag' | 'unsubscribe' | 'erase', failpoint: string]

/** A turn may work off all contacts who are unsubscribed, and then no other begins. */
const timeOf = ([action, failpoint]: Kill): number =>
  failpoint === 'bulk.claimed' && action !== 'tag' ? 1 : 2

/** Of each change, in the order of its steps; the second time, so that something is stored. */
const kills: readonly Kill[] = [
  ['tag', 'bulk.claimed'],
  ['tag', 'bulk.batch'],
  ['unsubscribe', 'bulk.claimed'],
  ['unsubscribe', 'suppress.between'],
  ['unsubscribe', 'bulk.contact'],
  ['erase', 'suppress.between'],
  ['erase', 'bulk.contact'],
]

export const contactsChanged: Scenario = {
  name: 'contacts-changed',
  promise:
    'a change of many contacts killed at every step: another worker goes on, each contact is changed once and counted once',
  broken: ['bulk.outcome'],
  async play(run) {
    const wrong: string[] = []
    const played = run.broken === null ? kills : kills.slice(4, 5)
    for (const kill of played)
      wrong.push(
        ...(await playKill(run, kill)).map((what) => `${kill[0]} killed at ${kill[1]}: ${what}`),
      )
    return wrong
  },
}

/** Contacts that match later: the change does not touch them. */
const later = 10

async function playKill(run: Run, kill: Kill): Promise<string[]> {
  const [action, failpoint] = kill
  const world = await openWorld(run)
  const contacts = (action === 'tag' ? 500 : 20) * (run.whole ? 5 : 1)
  await addContacts(world, { from: 1, to: contacts })
  const id = await begin(world, action)
  await addContacts(world, { from: contacts + 1, to: contacts + later })
  await makeDue(world, id)
  const worker = await world.start({
    ...{ role: 'worker', smtpUrl: null, failpoints: [`${failpoint}:kill@${timeOf(kill)}`] },
  })
  await worker.ended
  // The lease of a process that is gone ends.
  await makeDue(world, id)
  await world.start({ role: 'worker', smtpUrl: null })
  const [change] = await until(
    () => readChange(world, id),
    ([row]) => row?.state === 'completed',
  )
  return [
    ...(change?.done === contacts && change.changed === contacts
      ? []
      : [`${change?.changed} of ${change?.done} are counted as changed, for ${contacts}`]),
    ...(await checkContacts(world, { action, contacts })),
  ]
}

const addContacts = (
  { url, workspaceId }: World,
  { from, to }: { from: number; to: number },
): Promise<unknown> =>
  runOn(
    url,
    `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
     select ${workspaceId}, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       'person' || n || '@example.test', 'subscribed', facteur_now(), facteur_now()
     from generate_series(${from}, ${to}) n;
     insert into subscriber_tally (workspace_id, change) values (${workspaceId}, ${to - from + 1})`,
  )

async function begin({ db, workspaceId }: World, action: Kill[0]): Promise<string> {
  const ctx = {
    ...{ db, segmentDb: db, clock: systemClock, wake: () => undefined },
    makeId: makeIds(Date.now),
  }
  const selection = { matching: {} }
  const { id } =
    action === 'tag'
      ? await callVerb(ctx, workspaceId, 'tagContacts', { body: { selection, tag: 'vip' } })
      : action === 'erase'
        ? await callVerb(ctx, workspaceId, 'eraseContacts', { body: { selection } })
        : await callVerb(ctx, workspaceId, 'unsubscribeContacts', {
            body: { selection, reason: 'They asked' },
          })
  return id
}

const makeDue = ({ url, workspaceId }: World, id: string): Promise<unknown> =>
  runOn(
    url,
    `update bulk_change set next_at = facteur_now() where id = '${id}';
     insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'bulk', facteur_now())
     on conflict (workspace_id, lane) do update set next_at = excluded.next_at`,
  )

const readChange = ({ db, workspaceId }: World, id: string) =>
  db.rows<{ state: string; done: number; changed: number }>(sql`
    select state, done, changed from bulk_change where workspace_id = ${workspaceId} and id = ${id}`)

/** What each action leaves of a contact that it changed once. */
async function checkContacts(
  { db, workspaceId }: World,
  { action, contacts }: { action: Kill[0]; contacts: number },
): Promise<string[]> {
  const row = await db.onlyRow<
    Record<'tagged' | 'subscribed' | 'there' | 'evidence' | 'kept', number>
  >(sql`
    select count(*) filter (where tags = '{vip}')::int as tagged, count(*)::int as there,
      count(*) filter (where status = 'subscribed')::int as subscribed,
      (select count(*) from consent_evidence where workspace_id = ${workspaceId})::int as evidence,
      (select count(*) from erased_suppression where workspace_id = ${workspaceId})::int as kept
    from subscriber where workspace_id = ${workspaceId}`)
  const left = action === 'tag' ? contacts + later : later
  const expected = {
    tagged: action === 'tag' ? contacts : 0,
    there: action === 'erase' ? later : contacts + later,
    subscribed: left,
    evidence: action === 'unsubscribe' ? contacts : 0,
    // Nobody was suppressed before, so that each address may be added again.
    kept: 0,
  }
  return Object.entries(expected).flatMap(([name, number]) =>
    row[name as keyof typeof row] === number
      ? []
      : [`${name}: ${row[name as keyof typeof row]}, for ${number}`],
  )
}

/**
 * Takes a guard out of a statement when a failpoint asks for it (`name:broken`): the crash sweep
 * must notice that the guard is gone.
 */
import { createHash } from 'node:crypto'
import { systemClock } from '../../ground/clock.ts'
import { createDatabase, type Database } from './database.ts'
import type { Connection } from './connect.ts'
import type { Statement } from './sql.ts'

/** For each failpoint: the text of the statement, and its replacement. */
export const guards: Record<string, [from: string, to: string | (() => string)][]> = {
  // The clock of the process decides, as if no process had another.
  'statements.clock': [['facteur_now()', () => `timestamptz '${systemClock.now().toISOString()}'`]],
  // The quota is checked and never debited.
  'admissions.quota': [
    ['set used = quota_usage.used + excluded.used', 'set used = quota_usage.used'],
    ['set used = p.used + ', 'set used = p.used + 0 * '],
  ],
  // A claim does not check suppressions.
  'claims.suppression': [
    ['where s.email is not null or g.email is not null or e.digest is not null', 'where false'],
  ],
  // A lost lease is an ordinary retry, and no row says that the mail may have left.
  'claims.doubt': [
    [
      "when j.event in ('in_doubt', 'lost') then r.doubts + 1",
      "when j.event = 'in_doubt' then r.doubts + 1",
    ],
  ],
  // Any holder may write, also one whose lease was taken away.
  'outcomes.fence': [['r.fence = o.fence and ', '']],
  // A refusal that is not yet taken back looks like any outcome.
  'keys.refused': [['coalesce(r.refused, false)', 'false']],
  // Two processes read the same counter at once; slowed, so that they meet.
  'rates.lock': [
    ['for update) r\n    ), timed as', ') r\n    ), timed as'],
    ['select c.*, floor(', 'select c.*, pg_sleep(0.005)::text as pause, floor('],
  ],
  // All recipients of the list are handed over, also those suppressed since.
  'campaigns.suppression': [
    [
      `coalesce(
          x.reason,
          g.reason,
          case when s.status is distinct from 'subscribed' then coalesce(s.status, 'erased') end,
          t.reason
        ) as suppressed_for`,
      'null::text as suppressed_for',
    ],
  ],
  // A holder whose lease was taken away may write all the same.
  'campaigns.fence': [["and r.fence = o.fence and r.state = 'leased'", "and r.state = 'leased'"]],
  // Recipients of a lost holder go again, and no row says that the mail may have left.
  'campaigns.doubt': [
    ["case when u.is_unsent then 'unsent' else 'lost' end as event", "'unsent' as event"],
  ],
  // The recipients that a batch sender recorded at the dot are ignored.
  'campaigns.dots': [['a.subscriber_id <> all (w.at_dot)', 'true']],
  // A recipient in doubt is counted as pending and as in doubt.
  'campaigns.counters': [
    [
      "filter (where was_in = 'pending')",
      "filter (where was_in = 'pending' and is_in <> 'in_doubt')",
    ],
  ],
  // A campaign becomes `sent` before its last recipient.
  'campaigns.end': [['and h.pending = 0\n', 'and h.pending < 1000\n']],
  // A lease never expires once its worker is gone.
  'webhooks.lease': [['next_at = case when not j.rests then', 'next_at = case when false then']],
  // A holder whose lease was taken away may write all the same.
  'webhooks.fence': [['and d.fence = o.fence and d.is_leased', 'and d.is_leased']],
  // A freeze takes a definition as the scenario had it before its last change: of everybody.
  'segments.version': [
    ['name, version, definition\n', `name, version, '{"none": []}'::jsonb as definition\n`],
  ],
  // Two sends find the same draft.
  'campaigns.lock': [[' for update of campaign', '']],
}

/** Answers the connection itself when no failpoint breaks a statement. */
export function breakStatements(
  db: Connection,
  failpoints: { broken(name: string): boolean } | null,
): Connection {
  if (failpoints === null) return db
  const changes = Object.keys(guards).flatMap((name) =>
    failpoints.broken(name) ? (guards[name] ?? []) : [],
  )
  if (changes.length === 0) return db
  const change = (statement: Statement): Statement => {
    const text = changes.reduce(
      (before, [from, to]) => before.replaceAll(from, typeof to === 'string' ? to : to()),
      statement.text,
    )
    return {
      ...statement,
      text,
      name: createHash('sha1').update(text).digest('base64url').slice(0, 20),
    }
  }
  const broken = (inner: Database): Database =>
    createDatabase((statement) => inner.ask(change(statement)))
  return {
    ...db,
    ...broken(db),
    pipeline: () => broken(db.pipeline()),
    transaction: (work) => db.transaction((tx) => work(broken(tx))),
  }
}

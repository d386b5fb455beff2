/**
 * What callers and workers wait for: lists over HTTP, and claims of due messages. The fastest tenth
 * of the calls, in milliseconds: a busy machine delays the others.
 */
import type pg from 'pg'
import type { Connection } from '../../src/database/client/connect.ts'
import { claimRecipients } from '../../src/db/sending/claims.ts'
import { quantile } from '../pages/figures.ts'
import { signInViewer } from '../pages/sign-in-viewer.ts'

export type Latencies = Record<string, number>

const rounds = 25
/** Messages of one claim. */
const claimedAtOnce = 20

interface Served {
  port: number
  key: string
  webhookId: string
}

export async function measureLatencies(
  db: Connection,
  client: pg.Client,
  { port, key, webhookId }: Served,
): Promise<Latencies> {
  const base = `http://127.0.0.1:${port}`
  const cookie = await signInViewer(db, base)
  const ask = async (path: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(`${base}${path}`, { headers })
    const read: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(read)}`)
    return read
  }
  const api = (path: string) => () => ask(`/api/v1${path}`, { authorization: `Bearer ${key}` })
  const page = (path: string) => () => ask(`/workspaces/demo/api/v1${path}`, { cookie })
  const calls: Record<string, () => Promise<unknown>> = {
    'GET /emails': api('/emails'),
    'GET /events': api('/events'),
    'webhook journal': api(`/webhooks/${webhookId}/deliveries`),
    'messages page': page('/messages'),
    'search of one': page('/messages?q=person77@example.com'),
    'search of many': page('/messages?q=order'),
  }
  const result: Latencies = { claim: await measureClaims(db, client) }
  for (const [name, call] of Object.entries(calls)) result[name] = await fastest(call)
  return result
}

async function fastest(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < rounds; count++) {
    const began = performance.now()
    await call()
    times.push(performance.now() - began)
  }
  return quantile(times, 0.1)
}

/** The newest messages become due again, are claimed as by a worker, and are finished as before. */
async function measureClaims(db: Connection, client: pg.Client): Promise<number> {
  const due = `
    update recipient r set state = 'pending', next_at = facteur_now() - interval '1 second'
    from (select message_id from recipient where workspace_id = 1 order by message_id desc limit ${rounds * claimedAtOnce}) n
    where r.workspace_id = 1 and r.message_id = n.message_id`
  await client.query(due)
  const ms = await fastest(async () => {
    const { claimed } = await claimRecipients(db, 1, 'transactional', {
      max: claimedAtOnce,
      bytesMax: 1e8,
      leaseSeconds: 60,
    })
    if (claimed.length !== claimedAtOnce) throw new Error(`A claim found ${claimed.length}`)
  })
  await client.query(
    `update recipient set state = 'settled', settled_at = facteur_now() where workspace_id = 1 and state <> 'settled'`,
  )
  return ms
}

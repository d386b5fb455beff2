/** Groups of calls on a connection that is ended again and again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionUnit } from '../../../src/db/sending/admissions.ts'
import { lostConnection } from '../../../src/database/client/database-errors.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { admit } from '../../../src/core/sending/admit.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { until } from '../../support/until.ts'

const api = await startApi()
const { service } = api

function unit(
  workspace: TestWorkspace,
  change: Partial<AdmissionUnit['messages'][number]> = {},
  key: string | null = null,
): AdmissionUnit {
  const id = service.makeId()
  return {
    idempotency: key === null ? null : { key, fingerprint: Buffer.from('same') },
    apiKeyId: null,
    messages: [
      {
        id,
        fromDomain: workspace.domain,
        head: JSON.stringify({
          from: { name: null, address: `hello@${workspace.domain}` },
          to: [],
          cc: [],
          bcc: [],
          replyTo: [],
          headers: [],
        }),
        subject: 'x',
        tags: null,
        messageId: `${id}@${workspace.domain}`,
        scheduledAt: null,
        html: null,
        text: 'x',
        recipients: [
          { kind: 'to', email: 'someone@example.com', key: 'someone@example.com', inline: false },
        ],
        attachments: [],
        ...change,
      },
    ],
  }
}

test('groups on one connection that is ended again and again: each key has one message, the refused have none, the quota is exact', async () => {
  const workspace = await api.workspace('ended', { monthlyQuota: 100_000 })
  const admitted = new Set<string>()
  const keysAdmitted: string[] = []
  const otherwise: string[] = []
  /** Calls whose wait for a connection ran out: whether they were committed is unknown. */
  const unknown = new Set<string>()
  let requested = 0
  let ended = 0
  // As long as it takes, however busy the machine is: twenty connections ended, and two bad bodies
  // at least.
  const goesOn = (): boolean => ended < 20 || admitted.size < 400 || requested < 450
  const calls = Array.from({ length: 48 }, async () => {
    while (goesOn()) {
      // Two callers for most keys, so that twins meet in a group and across two.
      const key = `key ${Math.floor(requested++ / 2)}`
      const isBad = requested % 211 === 0
      const each = unit(workspace, isBad ? { subject: 'a\u0000b' } : {}, key)
      const verdict = await admit(service, { workspaceId: workspace.id, unit: each }).then(
        (admission) => admission.verdict,
        (error: unknown) => (!isBad && lostConnection(error) ? 'unknown' : 'threw'),
      )
      if (verdict === 'unknown') unknown.add(each.messages[0]?.id ?? '')
      else if (verdict !== 'admitted') otherwise.push(verdict)
      else {
        admitted.add(each.messages[0]?.id ?? '')
        keysAdmitted.push(key)
      }
    }
  })
  while (goesOn()) {
    ended += await service.db.count(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%select payer, p.monthly_quota, now.at%' and pid <> pg_backend_pid() limit 1`)
    const before = requested
    await until(() => requested > before + 8 || !goesOn())
  }
  await Promise.all(calls)
  assert.deepEqual(new Set(otherwise), new Set(['key_taken', 'threw']))
  assert.equal(new Set(keysAdmitted).size, keysAdmitted.length)
  const rows = await service.db.rows<{ id: string }>(
    sql`select id from message where workspace_id = ${workspace.id}`,
  )
  assert.deepEqual(new Set(rows.map(({ id }) => id).filter((id) => !unknown.has(id))), admitted)
  const [row] = await service.db.rows<{ used: number }>(
    sql`select used from quota_usage where workspace_id = ${workspace.id}`,
  )
  assert.equal(row?.used, rows.length)
})

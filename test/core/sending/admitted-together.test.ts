/** Concurrent calls share a statement, and no caller's input fails another's (semantics 1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionUnit } from '../../../src/db/sending/admissions.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { admit } from '../../../src/core/sending/admit.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'

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

/** The outcome of each unit; all are admitted at once. */
async function outcomes(workspace: TestWorkspace, units: AdmissionUnit[]): Promise<string[]> {
  const settled = await Promise.allSettled(
    units.map((each) => admit(service, { workspaceId: workspace.id, unit: each })),
  )
  return settled.map((result) => (result.status === 'fulfilled' ? result.value.verdict : 'threw'))
}

test('input that PostgreSQL rejects fails alone: a text it cannot hold, tags that are no JSON, an identifier that is none', async () => {
  const workspace = await api.workspace('rejected')
  const file = { filename: 'a', contentType: null, contentId: null, content: Buffer.from('x') }
  const bad: Partial<AdmissionUnit['messages'][number]>[] = [
    { subject: 'a\u0000b' },
    { tags: '{' },
    { id: 'none' },
    { html: 'a\u0000b', attachments: [file] },
  ]
  const units = Array.from({ length: 40 }, (_, index) =>
    unit(workspace, index % 10 === 3 ? bad[Math.floor(index / 10)] : {}),
  )
  assert.deepEqual(
    await outcomes(workspace, units),
    units.map((_, index) => (index % 10 === 3 ? 'threw' : 'admitted')),
  )
  assert.equal(await workspace.messages(), 36)
})

test('each call of a group is validated by itself: domain, suppression, quota and key', async () => {
  const workspace = await api.workspace('checked', { monthlyQuota: 6 })
  await workspace.suppress('gone@example.com', 'manual')
  const gone = {
    kind: 'to' as const,
    email: 'gone@example.com',
    key: 'gone@example.com',
    inline: false,
  }
  const many = Array.from({ length: 7 }, (_, index) => ({
    ...gone,
    email: `r${index}@example.com`,
    key: `r${index}@example.com`,
  }))
  const units = [
    unit(workspace),
    unit(workspace, { fromDomain: 'other.test' }),
    unit(workspace, { recipients: [gone] }),
    unit(workspace, { recipients: many }),
    unit(workspace, {}, 'one key'),
    unit(workspace, {}, 'one key'),
    unit(workspace, {}, 'another key'),
  ]
  assert.deepEqual(await outcomes(workspace, units), [
    'admitted',
    'unverified_from_domain',
    'suppressed_recipient',
    'quota_exceeded',
    'admitted',
    'key_taken',
    'admitted',
  ])
  const [row] = await service.db.rows<{ used: number }>(
    sql`select used from quota_usage where workspace_id = ${workspace.id}`,
  )
  assert.equal(row?.used, 3)
})

test('hundreds at once over several workspaces: each admitted once, each body its own', async () => {
  const workspaces = await Promise.all(['one', 'two', 'three'].map((name) => api.workspace(name)))
  const requested = workspaces.flatMap((workspace) =>
    Array.from({ length: 150 }, (_, index) => ({
      workspace,
      unit: unit(workspace, { text: `body ${index} é` }),
    })),
  )
  const verdicts = await Promise.all(
    requested.map(({ workspace, unit: each }) =>
      admit(service, { workspaceId: workspace.id, unit: each }),
    ),
  )
  assert.ok(verdicts.every(({ verdict }) => verdict === 'admitted'))
  for (const workspace of workspaces) {
    const rows = await service.db.rows<{ id: string; text: string }>(sql`
      select message_id as id, text from message_body where workspace_id = ${workspace.id}`)
    const texts = new Map(rows.map((row) => [row.id, row.text]))
    for (const { unit: each } of requested.filter((item) => item.workspace === workspace)) {
      assert.equal(texts.get(each.messages[0]?.id ?? ''), each.messages[0]?.text)
    }
    assert.equal(rows.length, 150)
  }
})

test('an empty body stays empty and a missing one missing, in any group', async () => {
  const workspace = await api.workspace('bodies')
  const bodies = [
    { html: '', text: 'a' },
    { html: null, text: 'é'.repeat(1000) },
    { html: '<p>😀</p>', text: null },
    { html: '', text: '' },
  ]
  const units = bodies.map((body) => unit(workspace, body))
  await outcomes(workspace, units)
  for (const [index, body] of bodies.entries()) {
    const rows = await service.db.rows(sql`
      select html, text from message_body where workspace_id = ${workspace.id} and message_id = ${units[index]?.messages[0]?.id}`)
    assert.deepEqual(rows, [body])
  }
})

/**
 * `facteur campaign undo`, `pause`, `resume`, `cancel`, `retry`, `release` and `recipients`, as
 * operators use them.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freezeCampaign } from '../../src/core/campaigns/freeze-campaign.ts'
import { addSubscribers, draftOf } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

/** Nothing leaves by itself: each command meets what the test made. */
const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
await addSubscribers(api, shop, 4)
await api.run(
  `update subscriber set email = '=cmd@example.com' where workspace_id = ${shop.id} and email = 'person4@example.com'`,
)
const operator = createOperator({ DATABASE_URL: api.database.url })
const line = (verb: string, ...rest: string[]): string[] => [
  'campaign',
  verb,
  '--workspace',
  'shop',
  ...rest,
]

const frozen = async (undoSeconds = 0): Promise<string> => {
  const id = await draftOf(api, shop)
  await freezeCampaign(api.service, {
    workspaceId: shop.id,
    id,
    from: 'draft',
    undoSeconds,
    canary: null,
  })
  return id
}

test('undo takes a campaign back before its first mail; a second undo is refused with the status', async () => {
  const id = await frozen(30)
  assert.match(await operator.text(line('undo', id)), /is a draft again; no mail was sent\./)
  await operator.refused(line('undo', id), { code: 'conflict', exit: 1, message: /status: draft/ })
})

test('pause and resume, each once', async () => {
  const id = await frozen()
  assert.partialDeepStrictEqual(await operator.json(line('pause', id)), {
    id,
    status: 'sending',
    paused: true,
  })
  await operator.refused(line('pause', id), { code: 'conflict', exit: 1, message: /paused: true/ })
  assert.partialDeepStrictEqual(await operator.json(line('resume', id)), {
    id,
    status: 'sending',
    paused: false,
  })
})

test('cancel ends it; recipients shows why, in a table, filtered, and in a file that is safe for spreadsheets', async () => {
  const id = await frozen()
  assert.partialDeepStrictEqual(await operator.json(line('cancel', id)), {
    status: 'sent',
    progress: { pending: 0, failed: 4 },
  })
  const rows = Object(await operator.json(line('recipients', id, '--status', 'failed'))).data
  assert.equal(rows.length, 4)
  assert.partialDeepStrictEqual(rows[0], {
    email: 'person1@example.com',
    status: 'failed',
    reason: 'cancelled',
    attempts: 0,
  })
  assert.equal(
    Object(await operator.json(line('recipients', id, '--status', 'sent'))).data.length,
    0,
  )
  assert.match(
    await operator.text(line('recipients', id)),
    /^ADDRESS +STATUS +SENT \(UTC\) +TRIES +REASON$/m,
  )
  const file = join(makeTemporaryFolder('csv'), 'recipients.csv')
  assert.match(await operator.text(line('recipients', id, '--csv', file)), /holds 4 recipients/)
  const lines = readFileSync(file, 'utf8').split('\r\n')
  assert.equal(
    lines[0],
    'email,status,reason,response,attempts,sent_at,delivered_at,opened_at,clicked_at',
  )
  assert.equal(lines[4], "'=cmd@example.com,failed,cancelled,,0,,,,")
})

test('retry sends again to failed recipients alone, and release to those in doubt', async () => {
  const id = await frozen()
  await api.run(
    `update campaign_recipient set state = 'settled', status = 'failed', error = '554 no' where campaign_id = '${id}' and email like 'person1@%'`,
  )
  await api.run(
    `update campaign_recipient set state = 'in_doubt' where campaign_id = '${id}' and email like 'person2@%'`,
  )
  await api.run(
    `update campaign_run set pending = 2, failed = 1, in_doubt = 1 where campaign_id = '${id}'`,
  )
  assert.partialDeepStrictEqual(await operator.json(line('retry', id)), {
    retried: 1,
    progress: { pending: 3, failed: 0, in_doubt: 1 },
  })
  assert.partialDeepStrictEqual(await operator.json(line('release', id)), {
    released: 1,
    progress: { pending: 4, in_doubt: 0 },
  })
})

test('watch of a campaign that ended with recipients in doubt says what that means, and names the command that releases them', async () => {
  const id = await frozen()
  await api.run(`update campaign_recipient set state = 'in_doubt' where campaign_id = '${id}'`)
  await api.run(`update campaign_run set pending = 0, in_doubt = 4 where campaign_id = '${id}'`)
  await api.run(
    `update campaign set status = 'sent', completed_at = facteur_now() where id = '${id}'`,
  )
  const text = await operator.text(line('watch', id))
  assert.match(
    text,
    /\n4 recipients are in doubt: .* release sends the same mail once more, .*\nTo release them: facteur campaign release --workspace \S+ \S+\n$/,
  )
  const polls = at(await operator.json(line('watch', id)), 'data')
  assert.ok(Array.isArray(polls))
  assert.equal(at(polls.at(-1), 'in_doubt', 'recipients'), 4)
})

/** `facteur campaign send` and `watch`, beside a running service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSubscribers, draftOf } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { createOperator } from './facteur.ts'

/** Campaigns stay as they were claimed until they are to start. */
const start = Promise.withResolvers<void>()
const failpoints = {
  hit: (name: string) => (name === 'campaign.after_claim' ? start.promise : undefined),
  broken: () => false,
}
const api = await startApi({ failpoints })
const shop = await api.workspace('shop')
await api.run(`update workspace set postal_address = 'Shop' where id = ${shop.id}`)
await addSubscribers(api, shop, 300)
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const line = (verb: string, ...rest: string[]): string[] => [
  'campaign',
  verb,
  '--workspace',
  'shop',
  ...rest,
]

test('campaign send asks for a confirmation, sends once, and watch shows its progress', async () => {
  const id = await draftOf(api, shop, { text: 'Hello' })
  await operator.refused(line('send', id), {
    code: 'refused',
    exit: 1,
    message: /^"News" would go to 300, .* add --yes\.$/m,
  })
  assert.match(
    await operator.text(line('preflight', id)),
    /\nIt would reach 300\. All is well\.\n$/,
  )
  const sent = await operator.json(line('send', id, '--yes', '--undo-seconds', '0'))
  assert.partialDeepStrictEqual(sent, { id, status: 'sending', queued: 300, recipients: 300 })
  start.resolve()
  const polls = at(await operator.json(line('watch', id)), 'data')
  assert.ok(Array.isArray(polls))
  for (const query of polls) {
    const { recipients, progress } = Object(query)
    const { pending, sent: out, failed, suppressed, in_doubt } = progress
    assert.equal(recipients, pending + out + failed + suppressed + in_doubt)
  }
  assert.partialDeepStrictEqual(polls.at(-1), {
    id,
    status: 'sent',
    recipients: 300,
    progress: { pending: 0, sent: 300 },
  })
  await operator.refused(line('send', id, '--yes'), {
    code: 'conflict',
    exit: 1,
    message: /status: sent/,
  })
  const lines = (await operator.text(line('watch', id))).split('\n')
  assert.match(
    lines[0] ?? '',
    /^AT \(UTC\) +STATUS +RECIPIENTS +PENDING +SENT +FAILED +SUPPRESSED +IN DOUBT$/,
  )
  assert.match(lines[1] ?? '', /^\d\d:\d\d:\d\d +sent +300 +0 +300 +0 +0 +0$/)
  assert.match(await operator.text(line('show', id)), /^Hand off:\n {2}Pending +0\n {2}Sent +300$/m)
  const [mail] = Object(await operator.json(['captured', 'list', '--workspace', 'shop'])).data
  assert.partialDeepStrictEqual(mail, { email_id: null, campaign_id: id })
  assert.match(mail.subject, /^News for Person \d+$/)
})

test('campaign send waits for the undo window that is asked for', async () => {
  await api.stopTime()
  const id = await draftOf(api, shop, { text: 'Hello' })
  const output = await operator.text(line('send', id, '--yes'))
  assert.match(
    output,
    /^300 recipients are in the queue; the first mail leaves in 30 seconds\. Not after all: facteur campaign undo/,
  )
  assert.partialDeepStrictEqual(await operator.json(line('show', id)), {
    status: 'sending',
    progress: { pending: 300, sent: 0 },
  })
})

/** `facteur campaign stats` and `recount`, beside a running service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { sentCampaign, tallies, open } from '../support/tracking-world.ts'
import { startApi } from '../support/api.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const workspace = await api.workspace('stats told')
const operator = createOperator({ DATABASE_URL: api.database.url })

test('stats: figures, windows, devices and programs, links; nothing while it has not gone out', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.link(0, 1))
  const line = ['campaign', 'stats', '--workspace', 'stats-told', campaign.id]
  const text = await operator.text(line)
  assert.match(
    text,
    /^Recipients +3\nDelivered +1 \(33\.3 %\)\nOpened +1 \(100\.0 %\)\n[^]*^Through privacy relays +0\.0 %\n/m,
  )
  assert.match(text, /^Timeline:\n {2}LABEL +OPENED +CLICKED\n {2}0-6h +1 +1$/m)
  assert.match(text, /^Client:\n {2}LABEL +COUNT +SHARE\n {2}Chrome +1 +100\.0 %$/m)
  assert.match(text, /^ {2}https:\/\/example\.com\/b +1\n {2}https:\/\/example\.com\/a +0$/m)
  assert.partialDeepStrictEqual(await operator.json(line), {
    counts: { opened: 1, clicked: 1 },
    campaign: { id: campaign.id },
  })
  await api.run(`update campaign set sent_at = null where id = '${campaign.id}'`)
  assert.equal((await operator.text(line)).trim(), '"News" has not gone out.')
})

test('recount: finds nothing wrong, then corrects a wrong counter', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.pixel(0))
  const line = ['campaign', 'recount', '--workspace', 'stats-told', campaign.id]
  assert.equal((await operator.text(line)).trim(), 'Every counter is what the rows say.')
  const right = await tallies(api, workspace, campaign.id)
  await api.run(
    `update campaign_tally set count = 99 where campaign_id = '${campaign.id}' and measure in ('opened', 'device')`,
  )
  assert.partialDeepStrictEqual(await operator.json(line), {
    object: 'campaign_recount',
    id: campaign.id,
    mended: 2,
  })
  assert.deepEqual(await tallies(api, workspace, campaign.id), right)
  await operator.refused(['campaign', 'recount', '--workspace', 'stats-told', 'nothing'], {
    code: 'not_found',
    exit: 1,
    message: /no campaign/,
  })
})

/** `facteur webhook test|replay`: sends events now, and prints the receiver's response. */
import { replayWebhookDelivery } from '../../../core/webhooks/replay-webhook-delivery.ts'
import { replayWebhookEvents } from '../../../core/webhooks/replay-webhook-events.ts'
import { testWebhook } from '../../../core/webhooks/test-webhook.ts'
import { workspaceFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed } from '../result.ts'
import type { PrintedValue } from '../result.ts'
import { readText } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { webhookArgument, webhookContext } from './webhook-context.ts'

const webhookTest = defineDatabaseCommand({
  name: 'webhook test',
  summary: 'Posts a test event and waits for the answer',
  note: 'Ends with 1 when the receiver did not accept it.',
  arguments: { ID: webhookArgument },
  flags: { workspace: workspaceFlag },
  examples: ['webhook test --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  run: async (ctx, { workspace, ID }) => {
    const { body } = await testWebhook(await webhookContext(ctx, workspace), { params: { id: ID } })
    return tellAttempt(body)
  },
})

const webhookReplay = defineDatabaseCommand({
  name: 'webhook replay',
  summary: 'Sends one entry of the journal again, or the events of a time',
  note: 'One entry: waits for the answer, and ends with 1 when the receiver did not accept it. A time: the workers send it.',
  arguments: {
    ID: webhookArgument,
    DELIVERY: { text: 'An entry of the journal; absent with --from.', required: false, read: readText },
  },
  flags: {
    workspace: workspaceFlag,
    from: { value: 'TIME', text: 'Events from then on (RFC 3339).', required: false, read: readText },
    to: { value: 'TIME', text: 'Events before then; absent: until now.', required: false, read: readText },
    all: { text: 'Also what was delivered.' },
  },
  examples: [
    'webhook replay --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41',
    'webhook replay --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40 --from 2026-11-21T08:00:00Z',
  ],
  judge: ({ DELIVERY, from }) => {
    if ((DELIVERY === null) === (from === null)) throw new CommandRefusal('usage', 'Give an entry of the journal, or --from.')
  },
  run: async (ctx, { workspace, ID, DELIVERY, from, to, all }) => {
    const own = await webhookContext(ctx, workspace)
    if (DELIVERY !== null) {
      const { body } = await replayWebhookDelivery(own, { params: { id: ID, deliveryId: DELIVERY } })
      return tellAttempt(body)
    }
    const range = { from: from ?? '', ...(to !== null && { to }), only: all ? ('all' as const) : ('undelivered' as const) }
    const { body } = await replayWebhookEvents(own, { params: { id: ID }, body: range })
    return printed(
      { id: ID, ...body },
      body.queued === 0 ? 'There is nothing to send again.' : `${body.queued} deliveries go out again.`,
    )
  },
})

function tellAttempt(outcome: { error: string | null; response_status: number | null }): PrintedValue {
  if (outcome.error === null) return printed(outcome, `Received: answered ${outcome.response_status ?? ''}.`)
  return { ...printed(outcome, `Not received: ${outcome.error}.`), exitCode: 1 }
}

export const webhookSendCommands = [webhookTest, webhookReplay]

/** `facteur webhook …`: which URL receives which events, and the results of their deliveries. */
import type { Webhook } from '../../contract/webhooks.ts'
import { callOperation } from './derive/call-operation.ts'
import { derive, type Body } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { argument, textFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { printed } from './result.ts'
import { readNameFlag, readText } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
const texts = {
  enabled:
    'off: no new events are recorded for it and nothing is sent; the journal stays. On at first.',
}

type Attempt = Pick<Body<'testWebhook'>, 'error' | 'response_status'>

const sayAttempt = ({ error, response_status: status }: Attempt): string =>
  error === null ? `Received: answered ${status ?? ''}.` : `Not received: ${error}.`
const isFailed = ({ error }: Attempt): boolean => error !== null

const describe = ({ name, url, events, enabled }: Webhook, secret: string): string =>
  [
    `${name}: ${url}`,
    `Events: ${events.join(', ')}`,
    `Enabled: ${enabled ? 'yes' : 'no'}`,
    `Secret: ${secret}`,
  ].join('\n')

/** The command sends one entry at once; the workers send the events of a period. */
const webhookReplay = defineWorkspaceCommand({
  name: 'webhook replay',
  summary: 'Replay one entry of the journal, or the events of a period',
  note: 'One entry: waits for the answer; the exit code is 1 when the receiver did not accept it. A period: the workers send it.',
  arguments: {
    ID: argument('Identifier of the webhook.', readText),
    DELIVERY: {
      ...argument('An entry of the journal; absent with --from.', readText),
      required: false,
    },
  },
  flags: {
    from: textFlag('TIME', 'Events from then on (RFC 3339).'),
    to: textFlag('TIME', 'Events before then; absent: until now.'),
    all: { text: 'Also events that were delivered.' },
  },
  examples: [
    `webhook replay --workspace acme ${exampleId} 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41`,
    `webhook replay --workspace acme ${exampleId} --from 2026-11-21T08:00:00Z`,
  ],
  checkLine: ({ DELIVERY, from }) => {
    if ((DELIVERY === null) === (from === null))
      throw new CommandRefusal('usage', 'Give an entry of the journal, or --from.')
  },
  run: async (ctx, { ID: id, DELIVERY: deliveryId, from, to, all }) => {
    const workspaceId = ctx.workspace.id
    if (deliveryId !== null) {
      const attempt = await callOperation(ctx, workspaceId, {
        id: 'replayWebhookDelivery',
        params: { id, deliveryId },
      })
      return printed(attempt, sayAttempt(attempt), isFailed(attempt))
    }
    const body = { from, to, only: all ? 'all' : 'undelivered' }
    const replay = await callOperation(ctx, workspaceId, {
      id: 'replayWebhookEvents',
      params: { id },
      body,
    })
    const sentence =
      replay.queued === 0
        ? 'There is nothing to send again.'
        : `${replay.queued} deliveries go out again.`
    return printed({ id, ...replay }, sentence)
  },
})

/** One spelling of each, in the order of the help. */
const fields = ['name', 'url', 'events', 'enabled']

export const webhookCommands = [
  derive('createWebhook', {
    places: { url: 'URL' },
    ...{ only: fields, required: ['url'] },
    note: 'From now on, each event of these types is posted to the URL, signed with the secret that the command prints.',
    texts,
    read: { name: readNameFlag },
    examples: [
      'webhook create --workspace acme --events email.delivered,email.bounced https://shop.example/hooks/facteur',
    ],
    say: ({ id, name, events, secret }, { workspace: { slug } }) =>
      `${name} (${id}) receives ${events.join(', ')}.\nSecret: ${secret}\nNext: facteur webhook test --workspace ${slug} ${id}`,
  }),
  derive('updateWebhook', {
    only: ['id', ...fields],
    note: 'Flags that are not given leave what is set. Deliveries that wait while it is off go out when it is on again.',
    ...{ texts, read: { name: readNameFlag } },
    examples: [`webhook set --workspace acme ${exampleId} --enabled off`],
    say: ({ name, enabled, events, url }) =>
      `${name} ${enabled ? `receives ${events.join(', ')}` : 'is disabled'}, at ${url}.`,
  }),
  derive('rotateWebhookSecret', {
    note: 'Prints the new secret. For --overlap-hours, calls are signed with both, so that receivers can change over.',
    examples: [`webhook rotate --workspace acme ${exampleId} --overlap-hours 48`],
    say: ({ secret }, { words: { 'overlap-hours': hours } }) =>
      `New secret: ${secret}\nThe old one signs as well for ${typeof hours === 'number' ? hours : 24} hours.`,
  }),
  derive('deleteWebhook', {
    examples: [`webhook delete --workspace acme ${exampleId}`],
    say: () => 'It is deleted, and its journal with it.',
  }),
  derive('updateWebhookRules', {
    name: 'webhook disable-failing',
    places: { disables_failing: 'STATE' },
    texts: { disables_failing: 'on or off; off at first.' },
    examples: ['webhook disable-failing --workspace acme on'],
    json: ({ disables_failing }, { workspace }) => ({
      id: String(workspace.id),
      disables_failing_webhooks: disables_failing,
    }),
    say: ({ disables_failing: disables }, { workspace: { slug } }) =>
      `Webhooks of ${slug} that fail for three days ${disables ? 'are disabled, with a notice to the workspace' : 'stay enabled'}.`,
  }),
  deriveList('listWebhookHealth', {
    name: 'webhook list',
    summary: 'List webhooks',
    note: 'Newest first, each with the outcomes of its deliveries of the last days.',
    everywhere: true,
    examples: ['webhook list --workspace acme'],
    rows: ({ webhooks }) => webhooks.map(({ webhook, ...health }) => ({ ...webhook, ...health })),
    columns: ['id', 'name', 'url', 'enabled', 'failing_since'],
    empty: 'There is no webhook yet. Next: facteur webhook create --workspace W --events TYPES URL',
  }),
  derive('getWebhook', {
    examples: [`webhook show --workspace acme ${exampleId}`],
    say: (webhook) => describe(webhook, webhook.secret),
  }),
  deriveList('listWebhookDeliveries', {
    name: 'webhook deliveries',
    examples: [`webhook deliveries --workspace acme ${exampleId}`],
    columns: ['id', 'type', 'status', 'attempts', 'response_status', 'error', 'created_at'],
    empty: 'The journal of the last thirty days is empty.',
  }),
  derive('testWebhook', {
    note: 'The exit code is 1 when the receiver did not accept it.',
    examples: [`webhook test --workspace acme ${exampleId}`],
    say: sayAttempt,
    failed: isFailed,
  }),
  webhookReplay,
]

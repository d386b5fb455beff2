/** `facteur webhook list|show|deliveries`: webhooks, and the results of their deliveries. */
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts'
import { getWebhook } from '../../../core/webhooks/get-webhook.ts'
import { listWebhookDeliveries } from '../../../core/webhooks/list-webhook-deliveries.ts'
import { presentWebhook } from '../../../core/webhooks/present-webhook.ts'
import { webhooksOf } from '../../../db/webhooks/webhooks.ts'
import { rowsOf } from '../find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from '../parameters.ts'
import { listed, printed, timeCell } from '../result.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { webhookArgument, webhookContext } from './webhook-context.ts'

const webhookList = defineDatabaseCommand({
  name: 'webhook list',
  summary: 'Lists the webhooks',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['webhook list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => webhooksOf(ctx.db, workspaceId)),
        columns: [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'URL', cell: ({ url }) => url },
          { title: 'ENABLED', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
          { title: 'FAILS SINCE (UTC)', cell: ({ failingSince }) => timeCell(failingSince) },
        ],
        json: (row) => ({
          ...presentWebhook(row),
          workspace_id: String(row.workspace.id),
          failing_since: row.failingSince?.toISOString() ?? null,
        }),
        empty: 'There is no webhook yet. Next: facteur webhook create --workspace W --events TYPES URL',
      }),
    ),
})

const webhookShow = defineDatabaseCommand({
  name: 'webhook show',
  summary: 'Shows a webhook with its secret',
  arguments: { ID: webhookArgument },
  flags: { workspace: workspaceFlag },
  examples: ['webhook show --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  run: async (ctx, { workspace, ID }) => {
    const { body } = await getWebhook(await webhookContext(ctx, workspace), { params: { id: ID } })
    return printed(body, tell(body, body.secret))
  },
})

const tell = ({ name, url, events, enabled }: Webhook, secret: string): string =>
  [`${name}: ${url}`, `Events: ${events.join(', ')}`, `Enabled: ${enabled ? 'yes' : 'no'}`, `Secret: ${secret}`].join('\n')

const webhookDeliveries = defineDatabaseCommand({
  name: 'webhook deliveries',
  summary: "Lists a webhook's journal, the newest first",
  arguments: { ID: webhookArgument },
  flags: { workspace: workspaceFlag },
  examples: ['webhook deliveries --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  run: async (ctx, { workspace, ID }) => {
    const own = await webhookContext(ctx, workspace)
    async function* pages(): AsyncGenerator<WebhookDelivery[]> {
      for (let cursor = ''; ;) {
        const { body } = await listWebhookDeliveries(own, { params: { id: ID }, query: { limit: 100, cursor } })
        yield body.data
        if (!body.has_more) return
        cursor = body.next_cursor
      }
    }
    return listed({
      pages: pages(),
      columns: [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'TYPE', cell: ({ type }) => type },
        { title: 'STATUS', cell: ({ status }) => status },
        { title: 'ATTEMPTS', right: true, cell: ({ attempts }) => String(attempts) },
        { title: 'ANSWER', right: true, cell: (entry) => String(entry.response_status ?? '-') },
        { title: 'ERROR', cell: ({ error }) => error ?? '-' },
        { title: 'CREATED (UTC)', cell: (entry) => timeCell(new Date(entry.created_at)) },
      ],
      json: (entry) => entry,
      empty: 'Nothing was owed to it in the last thirty days.',
    })
  },
})

export const webhookReadCommands = [webhookList, webhookShow, webhookDeliveries]

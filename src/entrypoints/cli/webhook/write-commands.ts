/** `facteur webhook create|update|delete|rotate`: which URL receives which events. */
import { limits } from '../../../contract/limits.ts'
import { createWebhook } from '../../../core/webhooks/create-webhook.ts'
import { deleteWebhook } from '../../../core/webhooks/delete-webhook.ts'
import { rotateWebhookSecret } from '../../../core/webhooks/rotate-webhook-secret.ts'
import { updateWebhook } from '../../../core/webhooks/update-webhook.ts'
import { setDisablesFailing } from '../../../db/webhooks/webhooks.ts'
import { resolveWorkspace } from '../find-workspace.ts'
import { workspaceFlag } from '../parameters.ts'
import { printed } from '../result.ts'
import { readNameFlag, readSwitch, readText, readWhole } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { readEvents, webhookArgument, webhookContext } from './webhook-context.ts'

const webhookCreate = defineDatabaseCommand({
  name: 'webhook create',
  summary: 'Has the events of a workspace posted to a URL',
  note: 'Its secret is shown; `webhook show` shows it again.',
  arguments: {
    URL: { text: 'https, or http to an address that FACTEUR_ALLOWED_RANGES allows.', required: true, read: readText },
  },
  flags: {
    workspace: workspaceFlag,
    events: { value: 'TYPES', text: 'Types of events, divided by commas.', required: true, read: readEvents },
    name: { value: 'N', text: 'What it is called; the host of the URL where it is absent.', required: false, read: readNameFlag },
  },
  examples: ['webhook create --workspace acme --events email.delivered,email.bounced https://shop.example/hooks/facteur'],
  run: async (ctx, { workspace, URL: url, events, name }) => {
    const body = { url, events, ...(name !== null && { name }) }
    const { body: webhook } = await createWebhook(await webhookContext(ctx, workspace), { body })
    const next = `Next: facteur webhook test --workspace ${workspace} ${webhook.id}`
    return printed(
      webhook,
      `${webhook.name} (${webhook.id}) is told of ${webhook.events.join(', ')}.\nSecret: ${webhook.secret}\n${next}`,
    )
  },
})

const webhookUpdate = defineDatabaseCommand({
  name: 'webhook update',
  summary: 'Changes a webhook; what is not given stays',
  arguments: { ID: webhookArgument },
  flags: {
    workspace: workspaceFlag,
    url: { value: 'URL', text: 'Where events are posted.', required: false, read: readText },
    events: { value: 'TYPES', text: 'Types of events, divided by commas.', required: false, read: readEvents },
    name: { value: 'N', text: 'What it is called.', required: false, read: readNameFlag },
    enabled: {
      value: 'on|off',
      text: 'Whether it receives events; off keeps the journal.',
      required: false,
      read: readSwitch,
    },
  },
  examples: ['webhook update --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40 --enabled off'],
  run: async (ctx, { workspace, ID, url, events, name, enabled }) => {
    const body = {
      ...(url !== null && { url }),
      ...(events !== null && { events }),
      ...(name !== null && { name }),
      ...(enabled !== null && { enabled }),
    }
    const { body: webhook } = await updateWebhook(await webhookContext(ctx, workspace), { params: { id: ID }, body })
    const state = webhook.enabled ? `is told of ${webhook.events.join(', ')}` : 'is disabled'
    return printed(webhook, `${webhook.name} ${state}, at ${webhook.url}.`)
  },
})

const webhookDelete = defineDatabaseCommand({
  name: 'webhook delete',
  summary: 'Deletes a webhook and its journal',
  arguments: { ID: webhookArgument },
  flags: { workspace: workspaceFlag },
  examples: ['webhook delete --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  run: async (ctx, { workspace, ID }) => {
    const { body } = await deleteWebhook(await webhookContext(ctx, workspace), { params: { id: ID } })
    return printed(body, 'It is deleted, and its journal with it.')
  },
})

const webhookRotate = defineDatabaseCommand({
  name: 'webhook rotate',
  summary: "Changes a webhook's secret; both sign for a while",
  arguments: { ID: webhookArgument },
  flags: {
    workspace: workspaceFlag,
    overlap: {
      value: 'HOURS',
      text: 'For how long the old secret signs as well; 24 where it is absent.',
      required: false,
      read: readWhole(0, limits.rotationHoursMax),
    },
  },
  examples: ['webhook rotate --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40 --overlap 48'],
  run: async (ctx, { workspace, ID, overlap }) => {
    const query = overlap === null ? {} : { overlap_hours: overlap }
    const { body } = await rotateWebhookSecret(await webhookContext(ctx, workspace), { params: { id: ID }, query })
    return printed(body, `New secret: ${body.secret}\nThe old one signs as well for ${overlap ?? 24} hours.`)
  },
})

const webhookDisableFailing = defineDatabaseCommand({
  name: 'webhook disable-failing',
  summary: 'Whether a webhook that fails for three days is disabled, with a notice to the workspace',
  arguments: { STATE: { text: 'on or off; off at first.', required: true, read: readSwitch } },
  flags: { workspace: workspaceFlag },
  examples: ['webhook disable-failing --workspace acme on'],
  run: async (ctx, { workspace: W, STATE: disables }) => {
    const workspace = await resolveWorkspace(ctx, W)
    await setDisablesFailing(ctx.db, workspace.id, disables)
    const said = disables ? 'are disabled, and the workspace is told' : 'stay enabled'
    const json = { id: String(workspace.id), workspace_id: String(workspace.id), disables_failing_webhooks: disables }
    return printed(json, `Webhooks of ${workspace.slug} that fail for three days ${said}.`)
  },
})

export const webhookWriteCommands = [webhookCreate, webhookUpdate, webhookRotate, webhookDelete, webhookDisableFailing]

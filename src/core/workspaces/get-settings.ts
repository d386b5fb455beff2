/** GET /settings: a workspace's settings, and the provider of its mail. */
import type { AnswerOf } from '../../contract/operations.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { workspaceProvider } from '../../db/workspaces/workspace-providers.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import type { CallContext } from '../context.ts'

export async function getSettings(
  ctx: Pick<CallContext, 'db' | 'workspaceId' | 'settings' | 'providers'>,
): Promise<AnswerOf<'getSettings'>> {
  const { db, workspaceId } = ctx
  const [settings, senders, own] = await Promise.all([
    workspaceSettings(db, workspaceId),
    sendersOf(db, workspaceId),
    workspaceProvider(db, workspaceId),
  ])
  return {
    body: {
      object: 'settings',
      id: String(workspaceId),
      name: settings.name,
      slug: settings.slug,
      created_at: settings.createdAt.toISOString(),
      language: settings.language,
      installation_language: ctx.settings.language,
      contact: settings.contact,
      default_sender: senders.find((sender) => sender.default)?.email ?? null,
      postal_address: settings.postalAddress,
      time_zone: settings.timeZone,
      data_requests: settings.dataRequests,
      track_opens: settings.trackOpens,
      track_clicks: settings.trackClicks,
      requests_per_minute: settings.ratePerMinute,
      provider: {
        name: ctx.providers.of(workspaceId).name,
        own: own !== null && own.choice !== null,
      },
    },
  }
}

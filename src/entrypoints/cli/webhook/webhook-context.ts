/**
 * The context of webhook operations on the command line: the same as for an API call, with each shared argument
 * defined once.
 */
import { eventTypes, isEventType } from '../../../contract/events.ts'
import type { EventType } from '../../../contract/events.ts'
import type { AttemptContext } from '../../../core/webhooks/test-webhook.ts'
import type { WebhookContext } from '../../../core/webhooks/create-webhook.ts'
import type { CommandContext } from '../command.ts'
import { resolveWorkspace } from '../find-workspace.ts'
import { didYouMean } from '../../../nearest.ts'
import { CommandRefusal } from '../refusal.ts'
import { readText } from '../values.ts'

/** The workspace's own context; throws a refusal when there is no such workspace. */
export async function webhookContext(ctx: CommandContext, idOrSlug: string): Promise<WebhookContext & AttemptContext> {
  const { id } = await resolveWorkspace(ctx, idOrSlug)
  return { ...ctx, workspaceId: id, secrets: await ctx.openSecrets() }
}

export const webhookArgument = { text: 'Identifier of the webhook.', required: true, read: readText } as const

/** Types of events, divided by commas. */
export function readEvents(text: string): EventType[] {
  return text.split(',').map((name) => {
    const type = name.trim()
    if (isEventType(type)) return type
    throw new CommandRefusal(
      'usage',
      `There is no event "${type}"${didYouMean(type, eventTypes)} They are ${eventTypes.join(', ')}.`,
    )
  })
}

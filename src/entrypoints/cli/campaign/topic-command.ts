/** `facteur campaign topic`: chooses the topic of a draft, by its name or its identifier. */
import type { WorkspaceContext } from '../workspace-command.ts'
import { callOperation } from '../derive/call-operation.ts'
import { argument } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed } from '../result.ts'
import { readText } from '../values.ts'
import { defineCampaignCommand, exampleId } from './campaign-command.ts'

const none = 'none'

export const campaignTopic = defineCampaignCommand({
  name: 'campaign topic',
  summary: 'Choose the topic of a draft: who left it is left out',
  note: 'A key sends a draft for no topic alone: one for a topic is sent here, or on the pages.',
  arguments: {
    TOPIC: argument('Its name or identifier, or `none`: everybody subscribed.', readText),
  },
  examples: [
    `campaign topic --workspace acme ${exampleId} "Product news"`,
    `campaign topic --workspace acme ${exampleId} none`,
  ],
  run: async (ctx, { TOPIC }) => {
    const topic = TOPIC === none ? null : await resolveTopic(ctx, TOPIC)
    const { id, name } = ctx.campaign
    const { campaign } = await chooseTopic(ctx, { id, topic })
    const whom = campaign.topic ? `is for the topic "${campaign.topic.name}"` : 'is for no topic'
    return printed(campaign, `"${name}" ${whom}.`)
  },
})

export const chooseTopic = (
  ctx: WorkspaceContext,
  { id, topic }: { id: string; topic: string | null },
) =>
  callOperation(ctx, ctx.workspace.id, { id: 'setCampaignTopic', params: { id }, body: { topic } })

/** Its identifier. No two topics have one name, whatever its case. */
export async function resolveTopic(ctx: WorkspaceContext, text: string): Promise<string> {
  const { data } = await callOperation(ctx, ctx.workspace.id, { id: 'listTopics' })
  const match = data.find(
    ({ id, name }) => id === text || name.toLowerCase() === text.toLowerCase(),
  )
  if (match) return match.id
  const all = `"facteur topic list --workspace ${ctx.workspace.slug}" shows all.`
  throw new CommandRefusal('not_found', `${ctx.workspace.slug} has no topic "${text}": ${all}`)
}

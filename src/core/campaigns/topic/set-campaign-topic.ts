/** POST /campaigns/{id}/topic: chooses the topic of a draft, or none. */
import { keepTopics } from '../../../db/audience/topics.ts'
import { setTopic } from '../../../db/audience/topic-campaigns.ts'
import { isId } from '../../../ground/ids.ts'
import { shapeError } from '../../input/shape-error.ts'
import type { Verb } from '../../verb.ts'
import { answerRun, recordCampaignAct } from '../change-campaign.ts'
import { findCampaign, refuseState } from '../find-campaign.ts'

/** Throws `not_found`, `conflict` where it is no draft, `validation_error` for an unknown topic. */
export const setCampaignTopic: Verb<'setCampaignTopic'> = async (ctx, { params, body }) => {
  const { workspaceId } = ctx
  const campaign = await findCampaign(ctx, { workspaceId, id: params.id })
  const { id } = campaign
  const { topic } = body
  await ctx.db.transaction(async (tx) => {
    const ids = topic !== null && isId(topic) ? [topic] : []
    // A topic that is chosen cannot be deleted meanwhile.
    const [known = null] = await keepTopics(tx, workspaceId, ids)
    if (known !== topic) throw shapeError([{ path: 'topic', rule: 'topic' }])
    if (!(await setTopic(tx, { workspaceId, campaignId: id }, topic, ctx.user?.email ?? null)))
      await refuseState({ db: tx }, { workspaceId, id })
    await recordCampaignAct(ctx, tx, { act: 'campaign.topic_changed', campaign })
  })
  return answerRun(ctx, id)
}

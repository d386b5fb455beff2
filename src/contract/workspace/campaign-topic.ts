/** Defines the topic of a campaign: those who left it are left out. Members choose it; no key does. */
import { CampaignParams } from '../campaigns.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { Type, nullable } from '../schema.ts'
import { CampaignRun } from './campaign-run.ts'

const campaign = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const campaignTopicOperations = {
  setCampaignTopic: campaign.post('/api/v1/campaigns/{id}/topic', CampaignRun, {
    summary: 'Choose the topic of a campaign',
    description:
      'Of a draft. It then goes to nobody who left the topic; null: to everybody subscribed. Status and suppression always win.',
    body: Type.Object(
      {
        topic: nullable(Type.String({ format: 'uuid', description: 'The identifier of a topic.' })),
      },
      { examples: [{ topic: null }] },
    ),
    errors: ['conflict'],
  }),
}

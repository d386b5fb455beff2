/** Defines how a second member approves a campaign: for its present content, audience and count. */
import { CampaignParams } from '../campaigns.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { Type, count } from '../schema.ts'
import { CampaignRun } from './campaign-run.ts'

/** How many requests of a workspace are mailed to its members in a day; the pages show them all. */
export const approvalMailsDayMax = 50

const AsRead = Type.Object({
  digest: Type.String({
    minLength: 64,
    maxLength: 64,
    description: '`approval.digest` of the run that the member read.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
})

const AskedApproval = Type.Object({
  mailed: count(
    'Members who are mailed: 0 where the workspace cannot send, or has asked too often today.',
  ),
  run: CampaignRun,
})

const approval = operationsOf({
  ...ofMembers,
  tag: 'Campaigns',
  params: CampaignParams,
  errors: ['conflict'],
})

export const campaignApprovalOperations = {
  askCampaignApproval: approval.post('/api/v1/campaigns/{id}/approval', AskedApproval, {
    summary: 'Ask for the approval of a campaign',
    description:
      'It names the content, the audience and the number of recipients now, and takes the place of an earlier request. Members who may approve it are mailed where the workspace can send. 409 `approval_not_needed` where the workspace demands none, `approval_changed` where the campaign is no longer what the member read. 422 `no_sender`, `no_recipients` as for a send.',
    body: AsRead,
    errors: ['rate_limit_exceeded'],
  }),
  withdrawCampaignApproval: approval.delete('/api/v1/campaigns/{id}/approval', CampaignRun, {
    summary: 'Take back the approval of a campaign, or the request for one',
    description: 'By any member who may send it. 409 `conflict` once its list is frozen.',
  }),
  approveCampaign: approval.post('/api/v1/campaigns/{id}/approve', CampaignRun, {
    fresh: true,
    summary: 'Approve a campaign',
    description:
      'By a member other than the one who asked and those who last changed its content, its audience and its segments: 409 `approval_own_request`, `approval_own_change`. 409 `approval_changed` where it is no longer what the member read.',
    body: AsRead,
  }),
}

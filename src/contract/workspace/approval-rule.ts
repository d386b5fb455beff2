/**
 * Defines from which number of recipients on a workspace's campaigns need a second member's
 * approval.
 */
import { ofMembers, operationsOf } from '../operations-of.ts'
import { Type, count, nullable, optionalOrNull, type Static } from '../schema.ts'

/** Of a workspace that has not chosen. */
export const growthPercentDefault = 5

/** By how much a list may grow at most without another approval. */
const growthPercentMax = 100

/** More recipients than a workspace has. */
const aboveMax = 1_000_000_000

const above = Type.Integer({
  minimum: 0,
  maximum: aboveMax,
  description: 'Campaigns to more than so many recipients need an approval.',
  examples: [1_000],
})
const growthPercent = Type.Integer({
  minimum: 0,
  maximum: growthPercentMax,
  description:
    'By how many percent more than the approved recipients a list may have when it is frozen.',
  examples: [growthPercentDefault],
})

const ApprovalRuleAnswer = Type.Object({
  object: Type.Literal('approval_rule'),
  above: nullable(above),
  growth_percent: growthPercent,
  approvers: count(
    'Members who may approve: editors and owners. With one alone, nobody can approve what that one asks.',
  ),
})
export type ApprovalRuleAnswer = Static<typeof ApprovalRuleAnswer>

const rule = operationsOf({ ...ofMembers, tag: 'Workspace' })

export const approvalRuleOperations = {
  getApprovalRule: rule.get('/api/v1/settings/approval', ApprovalRuleAnswer, {
    summary: 'Read which campaigns need an approval',
    description: '`above` is null where no campaign needs one.',
  }),
  updateApprovalRule: rule.patch('/api/v1/settings/approval', ApprovalRuleAnswer, {
    role: 'owner',
    fresh: true,
    summary: 'Change which campaigns need an approval',
    description:
      'Only given fields change; `above` null demands none. It holds from the next send on, for campaigns that are scheduled too.',
    body: Type.Object(
      { above: optionalOrNull(above), growth_percent: Type.Optional(growthPercent) },
      { examples: [{ above: 1_000 }] },
    ),
  }),
}

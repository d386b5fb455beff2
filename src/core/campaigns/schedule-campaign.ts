/** POST /campaigns/{id}/schedule: a draft is scheduled, or a scheduled campaign gets a new time. */
import { ApiError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/operations.ts'
import { setSchedule } from '../../db/campaigns/campaign-life.ts'
import { databaseTimeMs } from '../../database/schema/schema-state.ts'
import { isPast, readScheduleText, refuseTooFar, scheduleAt } from '../input/read-time.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { isByKey, type CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import type { Verb } from '../verb.ts'
import { countUnapproved } from './approval/count-unapproved.ts'
import { requireApprovalOfCounted } from './approval/require-approval.ts'
import { refuseTargeted } from './audience/audience-now.ts'
import { answerCampaign, changeCampaign } from './change-campaign.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/** The time is RFC 3339 or in words, in the future and at most a year ahead by the database's clock. */
export const scheduleCampaign: Verb<'scheduleCampaign'> = async (ctx, { params: { id }, body }) => {
  const { workspaceId } = ctx
  const at = readSpelling(body)
  const schedule = readScheduleText(at, 'scheduledAt')
  const now = await databaseTimeMs(ctx.db)
  const scheduledAt = scheduleAt(schedule, now)
  refuseTooFar(scheduledAt, now, 'scheduledAt')
  if (isPast(scheduledAt, now)) throw shapeError([{ path: 'scheduledAt', rule: 'in_the_past' }])
  const counted = await countBefore(ctx, await findCampaign(ctx, { workspaceId, id }))
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.scheduled', details: { at: 'at' in schedule ? at : scheduledAt } },
    apply: async (tx, before) => {
      // Checked now, while the user is present, instead of when the campaign is due.
      if (before.status === 'draft' && !before.unfinished && before.fromEmail === null)
        throw new ApiError('validation_error', { reason: 'no_sender' })
      if (!(await setSchedule(tx, { workspaceId, id }, scheduledAt)))
        await refuseState({ db: tx }, { workspaceId, id })
      // Its row is locked by now, so that nobody chooses an audience meanwhile.
      if (isByKey(ctx)) refuseTargeted(await findCampaign({ db: tx }, { workspaceId, id }))
      await requireApprovalOfCounted(tx, { workspaceId, campaignId: id }, counted)
    },
  })
  ctx.wake('campaign')
  return answerCampaign(ctx, id)
}

/** Before the transaction. A key is refused whatever the number, where it may not send at all. */
const countBefore = (ctx: CallContext, campaign: CampaignRow) =>
  isByKey(ctx) && campaign.isTargeted
    ? null
    : countUnapproved(ctx, { workspaceId: ctx.workspaceId, campaign })

/** An alias and its native name may both be given when they say the same (semantics 4). */
function readSpelling({
  scheduledAt: native,
  scheduled_at: alias,
}: InputOf<'scheduleCampaign'>['body']) {
  if (native !== undefined && alias !== undefined && native !== alias)
    throw shapeError([{ path: 'scheduled_at', rule: 'alias_differs' }])
  const at = native ?? alias
  if (at === undefined) throw shapeError([{ path: 'scheduledAt', rule: 'required' }])
  return at
}

/** Conditions over what a contact received, opened and clicked. */
import type { EngagementCondition, EngagementTest } from '../../../contract/segments.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import {
  engagementDate,
  joinEngagement,
  joinWaiting,
  type DatedEngagement,
} from '../engagement-dates.ts'
import { lastTest } from './date-conditions.ts'
import type { Compiling } from './compiling.ts'

export function engagementCondition(
  compiling: Compiling,
  condition: EngagementCondition,
): Fragment {
  if ('received' in condition) return engagementTest(compiling, 'received', condition.received)
  if ('clicked' in condition) return engagementTest(compiling, 'clicked', condition.clicked)
  const kind = condition.opened.by === 'any' ? 'opened' : 'openedDirectly'
  return engagementTest(compiling, kind, condition.opened)
}

const engagementTest = (
  compiling: Compiling,
  kind: DatedEngagement,
  test: EngagementTest,
): Fragment =>
  'campaign' in test
    ? inCampaign(compiling, kind, test.campaign)
    : lastTest(compiling, lastAt(compiling, kind), test)

/**
 * When the contact last did, in any campaign. Null means never. It outlives the details of
 * campaigns.
 */
function lastAt(
  { workspaceId, undated, countsWaiting, joins }: Compiling,
  kind: DatedEngagement,
): Fragment {
  joins.addOnce('dates of engagement', joinEngagement(workspaceId, undated))
  const date = engagementDate(kind, undated)
  if (kind !== 'received' || !countsWaiting) return date
  joins.addOnce('waiting', joinWaiting(workspaceId))
  return part`greatest(${date}, waiting.received_at)`
}

function inCampaign(
  { workspaceId, joins }: Compiling,
  kind: DatedEngagement,
  campaignId: string,
): Fragment {
  const list = joins.add(
    `${kind} ${campaignId}`,
    kind === 'received'
      ? part`
      select r.subscriber_id
      from campaign_recipient r
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}::uuid and ${wasReceived}`
      : part`
      select distinct e.subscriber_id
      from engagement e
      where e.workspace_id = ${workspaceId} and e.campaign_id = ${campaignId}::uuid and ${engaged[kind]}`,
  )
  return part`${list}.subscriber_id is not null`
}

/** Handed off, whatever bounce followed. */
const wasReceived = fragment`r.sent_at is not null`

/** A click shows that the mail was opened. */
const engaged = {
  opened: fragment`e.visitor <> 'scanner'`,
  openedDirectly: fragment`e.visitor = 'person'`,
  clicked: fragment`e.visitor <> 'scanner' and e.kind = 'click'`,
} as const

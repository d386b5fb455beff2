/** Presents a message as a line of the log. */
import { formatMailbox } from '../../ground/address.ts'
import type { MessageLine } from '../../contract/workspace/messages.ts'
import type { CampaignMailRow } from '../../db/campaigns/campaign-mails.ts'
import type { MessageRow } from '../../db/messages/messages.ts'
import type { Context } from '../context.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import { rfc3339 } from '../input/read-time.ts'
import { presentEmail } from '../presentation/present-email.ts'

export function presentSingleLine(
  { settings }: Pick<Context, 'settings'>,
  row: MessageRow,
): MessageLine {
  const { id, from, subject, status, last_event, error, in_doubt, tags, created_at, scheduled_at } =
    presentEmail(row, settings)
  const inDoubt = row.recipients.some(({ state }) => state === 'in_doubt')
  return {
    ...{
      object: 'message',
      kind: 'single',
      id,
      from,
      subject,
      status,
      error,
      in_doubt,
      tags,
      created_at,
      scheduled_at,
    },
    to: row.recipients.map(({ email }) => email),
    last_event: inDoubt && status === 'queued' ? 'in_doubt' : last_event,
    campaign: null,
    opened: row.recipients.some(({ openedAt }) => openedAt !== null),
    clicked: row.recipients.some(({ clickedAt }) => clickedAt !== null),
  }
}

export const campaignMailId = ({
  campaignId,
  subscriberId,
}: {
  campaignId: string
  subscriberId: string
}): string => `${campaignId}.${subscriberId}`

export function presentCampaignLine(row: CampaignMailRow): MessageLine {
  const went = ['bounced', 'complained', 'failed', 'suppressed'].includes(row.status)
  return {
    ...{
      object: 'message',
      kind: 'campaign',
      id: campaignMailId(row),
      status: row.status,
      tags: null,
      scheduled_at: null,
    },
    from: formatMailbox({ name: row.fromName, address: row.fromEmail ?? '' }),
    to: [row.email],
    subject: subjectOf(row),
    last_event: row.state === 'in_doubt' ? 'in_doubt' : isCancelled(row) ? 'canceled' : row.status,
    error: went ? row.error : null,
    in_doubt: row.state === 'in_doubt' ? { since: null, decided_by: null } : null,
    campaign: { id: row.campaignId, name: row.campaignName },
    created_at: rfc3339(row.frozenAt),
    opened: row.openedAt !== null,
    clicked: row.clickedAt !== null,
  }
}

/**
 * The campaign was cancelled before this mail left: the ledger counts it as failed
 * (db/campaigns/campaign-control.ts), the pages show it as cancelled.
 */
const isCancelled = ({ status, cause }: CampaignMailRow): boolean =>
  status === 'failed' && cause === 'cancelled'

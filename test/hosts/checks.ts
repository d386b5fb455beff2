/**
 * The promises at the end of a schedule, when every fault is over and the ledger is at rest: each
 * broken one in words.
 */
import { sql } from '../../src/database/client/sql.ts'
import { checkClaims } from '../support/claim-notes.ts'
import { checkCampaign, checkCounters, type RecipientRow } from '../support/fault-campaign.ts'
import { checkMails, debited, type LedgerRow } from '../support/fault-ledger.ts'
import type { FaultWorkspace } from '../support/fault-world.ts'
import type { RefereeMail } from '../support/referee-sink.ts'
import { comes } from '../support/until.ts'
import type { CallerResult } from './callers.ts'

export interface Finished {
  workspace: FaultWorkspace
  callers: CallerResult
  /** The ledger of single mails. */
  rows: LedgerRow[]
  /** The campaign, the list that it was sent to, and its ledger. */
  id: string
  frozen: Set<string>
  recipients: RecipientRow[]
  /** What the sink has of this workspace. */
  mails: RefereeMail[]
}

export async function checkPromises({
  workspace,
  callers,
  rows,
  id,
  frozen,
  recipients,
  mails,
}: Finished): Promise<string[]> {
  const [ofCampaign, single] = split(mails, frozen)
  return [
    ...callers.wrong,
    ...checkAccepted(callers, rows),
    ...checkReasons(rows),
    ...checkMails(rows, single),
    ...checkCampaign(recipients, frozen, ofCampaign),
    ...(await checkCounters(workspace, id)),
    ...(await checkClaims(workspace, callers.suppressed)),
    ...(await checkQuota(workspace, id, rows)),
  ]
}

/**
 * A suppressed subscriber may have no mail but the campaign's: a single mail to one has no row, and
 * is found by that.
 */
const split = (mails: RefereeMail[], frozen: Set<string>): [RefereeMail[], RefereeMail[]] => [
  mails.filter(({ to }) => to.every((email) => frozen.has(email))),
  mails.filter(({ to }) => !to.every((email) => frozen.has(email))),
]

/**
 * Each 202 is a row; each key is one id and one row; a call without an answer is one row or none.
 */
function checkAccepted({ accepted, unknown }: CallerResult, rows: LedgerRow[]): string[] {
  const byEmail = Map.groupBy(rows, ({ email }) => email)
  const wrong: string[] = accepted.size === 0 ? ['nothing was accepted at all'] : []
  for (const [email, ids] of accepted) {
    const result = byEmail.get(email) ?? []
    if (ids.size > 1) wrong.push(`one key, ${ids.size} ids: ${email}`)
    for (const id of ids)
      if (!result.some(({ messageId }) => messageId === id))
        wrong.push(`gone: ${email} was answered 202 with ${id}`)
    if (result.length > 1) wrong.push(`accepted twice: ${email} has ${result.length} rows`)
  }
  for (const [email, result] of byEmail) {
    if (!accepted.has(email) && !unknown.has(email))
      wrong.push(`never accepted: ${email} has a row`)
    if (result.length > 1 && !accepted.has(email))
      wrong.push(`called once: ${email} has ${result.length} rows`)
  }
  return wrong
}

/** A recipient that got nothing has a reason. */
const checkReasons = (rows: LedgerRow[]): string[] =>
  rows
    .filter(
      ({ state, status, error }) =>
        !(state === 'in_doubt' || status === 'sent' || status === 'delivered' || error),
    )
    .map(({ email, state, status }) => `without a reason: ${email} is ${state}, ${status}`)

/**
 * What was accepted is debited, once. A campaign reserves its list, and gives back what was not
 * sent.
 */
async function checkQuota(
  { db, workspaceId }: FaultWorkspace,
  campaignId: string,
  rows: LedgerRow[],
): Promise<string[]> {
  let [used, expected] = [0, 0]
  // A worker gives it back a moment after the campaign is sent.
  const isExact = await comes(async () => {
    used = await debited(db, workspaceId)
    const [run] = await db.rows<{ handedOver: number }>(sql`
      select sent + in_doubt as handed_over from campaign_run where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
    expected = rows.length + (run?.handedOver ?? 0)
    return used === expected
  })
  return isExact ? [] : [`${expected} were accepted, and ${used} debited`]
}

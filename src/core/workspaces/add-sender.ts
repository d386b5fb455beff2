/** POST /senders: registers a sender address; campaigns and confirmations use the default one. */
import { parseMailbox } from '../../ground/address.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { upsertSender } from '../../db/workspaces/senders.ts'
import { checkSenderDomain } from '../sending/choose-sender.ts'
import { shapeError } from '../input/shape-error.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { lineOrNull } from '../input/validate-words.ts'
import { presentSender } from './present-sender.ts'
import type { Verb } from '../verb.ts'

/**
 * Refuses unverified domains, since such a sender could become the default unnoticed. Throws
 * `validation_error` and `unverified_from_domain`.
 */
export const addSender: Verb<'addSender'> = (ctx, { body }) => {
  const mailbox = parseMailbox(body.email.trim())
  if ('rule' in mailbox) throw shapeError([{ ...mailbox, path: 'email' }])
  if (mailbox.name !== null) throw shapeError([{ path: 'email', rule: 'address_alone' }])
  const name = lineOrNull(body.name, { path: 'name', max: settingLimits.senderNameMax })
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    await checkSenderDomain({ db: tx }, { workspaceId, ...mailbox })
    const row = await withinLimit(tx, workspaceId, 'senders', () =>
      upsertSender(tx, workspaceId, { id: ctx.makeId(), name, email: mailbox.address }),
    )
    await recordAuditEntry(tx, ctx, { act: 'sender.added', subject: row.email, details: { name } })
    return { body: presentSender(row, await domainsOf(tx, workspaceId)) }
  })
}

/** PATCH /senders/{id}: changes a sender's name, or makes it the default. */
import { existing } from '../../contract/errors.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { lockSenders, makeSenderDefault, renameSender } from '../../db/workspaces/senders.ts'
import { checkSenderDomain } from '../sending/choose-sender.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { lineOrNull } from '../input/validate-words.ts'
import { presentSender } from './present-sender.ts'
import { domainOf } from '../domain-of.ts'
import type { Verb } from '../verb.ts'

/**
 * Throws `not_found`, `validation_error`, and `unverified_from_domain` for a default whose domain
 * is not verified.
 */
export const updateSender: Verb<'updateSender'> = (ctx, { params: { id }, body }) => {
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    const sender = existing((await lockSenders(tx, workspaceId)).find((row) => row.id === id))
    const name =
      body.name === undefined
        ? sender.name
        : lineOrNull(body.name, { path: 'name', max: settingLimits.senderNameMax })
    if (name !== sender.name) {
      await renameSender(tx, workspaceId, id, name)
      await recordAuditEntry(tx, ctx, {
        act: 'sender.renamed',
        subject: sender.email,
        details: { before: sender.name, name },
      })
    }
    const becomesDefault = body.default === true && !sender.default
    if (becomesDefault) {
      await checkSenderDomain(
        { db: tx },
        { workspaceId, address: sender.email, domain: domainOf(sender.email) },
      )
      await makeSenderDefault(tx, workspaceId, id)
      await recordAuditEntry(tx, ctx, { act: 'sender.made_default', subject: sender.email })
    }
    const row = { ...sender, name, default: sender.default || becomesDefault }
    return { body: presentSender(row, await domainsOf(tx, workspaceId)) }
  })
}

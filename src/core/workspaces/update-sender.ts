/** PATCH /senders/{id}: another name, or the default from now on. */
import { ApiError } from '../../contract/errors.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { domainsOf } from '../../db/domains.ts'
import { lockSenders, makeSenderDefault, renameSender } from '../../db/senders.ts'
import { judgeDomain } from '../campaigns/choose-sender.ts'
import type { Context } from '../context.ts'
import { domainOf } from '../sending/admit-notice.ts'
import { recordAct } from '../people/record-act.ts'
import type { Actor } from '../people/record-act.ts'
import { lineOrNull } from './judge-words.ts'
import { showSender } from './show-sender.ts'

/** Throws `not_found`, `validation_error`, and `unverified_from_domain` for a default that could not write. */
export function updateSender(
  ctx: Pick<Context, 'db'> & Actor,
  { params: { id }, body }: Pick<InputOf<'updateSender'>, 'params' | 'body'>,
): Promise<AnswerOf<'updateSender'>> {
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    const sender = (await lockSenders(tx, workspaceId)).find((row) => row.id === id)
    if (!sender) throw new ApiError('not_found')
    const name =
      body.name === undefined ? sender.name : lineOrNull(body.name, { path: 'name', most: settingLimits.senderNameMax })
    if (name !== sender.name) {
      await renameSender(tx, workspaceId, id, name)
      await recordAct(tx, ctx, { act: 'sender.renamed', subject: sender.email, details: { before: sender.name, name } })
    }
    const becomesDefault = body.default === true && !sender.default
    if (becomesDefault) {
      await judgeDomain({ db: tx }, workspaceId, { address: sender.email, domain: domainOf(sender.email) })
      await makeSenderDefault(tx, workspaceId, id)
      await recordAct(tx, ctx, { act: 'sender.made_default', subject: sender.email })
    }
    const row = { ...sender, name, default: sender.default || becomesDefault }
    return { body: showSender(row, await domainsOf(tx, workspaceId)) }
  })
}

/** POST /senders: registers an address that a workspace writes from; campaigns and confirmations take the default one. */
import { parseMailbox } from '../../contract/address.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { domainsOf } from '../../db/domains.ts'
import { upsertSender } from '../../db/senders.ts'
import { judgeDomain } from '../campaigns/choose-sender.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { recordAct } from '../people/record-act.ts'
import type { Actor } from '../people/record-act.ts'
import { withinRoom } from '../room.ts'
import { lineOrNull } from './judge-words.ts'
import { showSender } from './show-sender.ts'

/** A sender that could not write would become the default unnoticed. Throws `validation_error` and `unverified_from_domain`. */
export function addSender(
  ctx: Pick<Context, 'db'> & Actor,
  { body }: Pick<InputOf<'addSender'>, 'body'>,
): Promise<AnswerOf<'addSender'>> {
  const mailbox = parseMailbox(body.email.trim())
  if ('rule' in mailbox) throw shapeError([{ ...mailbox, path: 'email' }])
  if (mailbox.name !== null) throw shapeError([{ path: 'email', rule: 'address_alone' }])
  const name = lineOrNull(body.name, { path: 'name', most: settingLimits.senderNameMax })
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    await judgeDomain({ db: tx }, workspaceId, mailbox)
    const row = await withinRoom(tx, workspaceId, 'senders', () =>
      upsertSender(tx, workspaceId, { id: ctx.makeId(), name, email: mailbox.address }),
    )
    await recordAct(tx, ctx, { act: 'sender.added', subject: row.email, details: { name } })
    return { body: showSender(row, await domainsOf(tx, workspaceId)) }
  })
}

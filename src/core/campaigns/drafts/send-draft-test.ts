/**
 * POST /campaigns/{id}/test: sends copies of a draft to members and to subscribers who confirmed
 * their address by a click; without addresses, to the user who asks.
 */
import { parseMailbox, type Mailbox } from '../../../ground/address.ts'
import type { InputOf } from '../../../contract/operations.ts'
import { confirmedAmong } from '../../../db/audience/subscribers.ts'
import { membersOf } from '../../../db/users/memberships.ts'
import { isByKey, type CallContext } from '../../context.ts'
import { shapeError } from '../../input/shape-error.ts'
import { refuseState } from '../find-campaign.ts'
import { sendTest } from '../send-test.ts'
import { findDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const sendDraftTest: Verb<'sendDraftTest'> = async (ctx, { params: { id }, body }) => {
  const { workspaceId } = ctx
  const { unfinished } = await findDraft(ctx, { workspaceId, id })
  if (unfinished) await refuseState(ctx, { workspaceId, id })
  const to = readReaders(body.to ?? ctx.user?.email ?? null)
  const counted = await checkReaders(ctx, to)
  const data = await sendTest(ctx, { workspaceId, id, to, counted })
  return { body: { object: 'campaign_test', id, data } }
}

/** Each address once, the first spelling of it. */
function readReaders(to: InputOf<'sendDraftTest'>['body']['to'] | null): Mailbox[] {
  if (to === null || to === undefined) throw shapeError([{ path: 'to', rule: 'required' }])
  const read = [to].flat().map((text, index) => {
    const path = Array.isArray(to) ? `to.${index}` : 'to'
    const mailbox = parseMailbox(text)
    if ('rule' in mailbox) throw shapeError([{ ...mailbox, path, rule: `address.${mailbox.rule}` }])
    return mailbox
  })
  return [
    ...new Map(read.toReversed().map((mailbox) => [mailbox.key, mailbox])).values(),
  ].toReversed()
}

/**
 * A test passes without an unsubscribe link and as often as one asks, so it goes only to members
 * and to those who showed by a click that the address is theirs. A refusal does not say which are:
 * the permission for campaigns reads no subscribers. Answers how many copies count in the quota:
 * all of a program's, and those to others than members.
 */
async function checkReaders(ctx: CallContext, to: Mailbox[]): Promise<number> {
  const { db, workspaceId } = ctx
  const keys = to.map(({ key }) => key)
  const [members, confirmed] = await Promise.all([
    membersOf(db, workspaceId),
    confirmedAmong(db, workspaceId, keys),
  ])
  const own = new Set(members.map(({ email }) => email.toLowerCase()))
  const outsiders = to.filter(({ key }) => !own.has(key))
  if (outsiders.some(({ key }) => !confirmed.includes(key)))
    throw shapeError([{ path: 'to', rule: 'test_reader' }])
  return isByKey(ctx) ? to.length : outsiders.length
}

/**
 * POST /invitations/{token}: whoever was invited becomes a member.
 *
 * 1. the link, for one address
 * 2. who has that address accepts once they are signed in; where nobody has, a person is made with a password and signed in: a link
 *    that was handed over asks everybody else for a password first, so that trying it tells nothing of the address
 */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { Database } from '../../db/connection/connect.ts'
import { insertMembership, roleOf } from '../../db/users/memberships.ts'
import { findUserByEmail, insertUser, confirmUserAddress } from '../../db/users/users.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/validate-shape.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { openUserSession } from '../identity/open-session.ts'
import { findLink, takeLink } from '../identity/user-link.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { readInvitation } from './read-invitation.ts'

export async function acceptInvitation(
  ctx: CallContext,
  { params: { token }, body }: InputOf<'acceptInvitation'>,
): Promise<AnswerOf<'acceptInvitation'>> {
  const found = await findLink(ctx.db, 'invitation', token)
  const { email, workspaceId } = readInvitation(found)
  const known = await findUserByEmail(ctx.db, email)
  // What is wrong with a password is told before what is known of the address, where whoever asks may not read its mailbox.
  if (!known || (!found.mailed && ctx.user?.id !== known.id)) checkNew(email, body.password)
  if (known) checkSignedIn(ctx, known.id)
  const { slug } = await workspaceSettings(ctx.db, workspaceId)
  const password = known ? null : await ctx.passwords.hash(body.password ?? '')
  return ctx.db.transaction(async (tx) => {
    const link = await takeLink(tx, 'invitation', token)
    const { role: invitedAs } = readInvitation(link)
    const personId =
      known?.id ??
      (await addPerson(ctx, tx, {
        ...{ email, name: readUserName(body.name ?? ''), password: password ?? '' },
        language: body.language ?? null,
      }))
    // An account that there was may be somebody else's than the mailbox's, whoever handed the link on: see reset-password.
    if (!known && link.mailed) await confirmUserAddress(tx, personId)
    const joins = await withinLimit(tx, workspaceId, 'members', () => insertMembership(tx, workspaceId, personId, invitedAs))
    // Who is a member already stays what they are.
    const role = (await roleOf(tx, workspaceId, personId)) ?? invitedAs
    if (joins)
      await recordAuditEntry(
        tx,
        { ...ctx, workspaceId, user: { id: personId, email } },
        { act: 'member.joined', subject: email, details: { role } },
      )
    const session = known ? null : await openUserSession(ctx, tx, personId, 'link')
    return { body: { object: 'membership', slug, role }, ...(session && { headers: session.headers }) }
  })
}

/** An invitation is for one address: no other account takes it, and no password of an account is set by it. */
function checkSignedIn({ user }: CallContext, personId: string): void {
  if (!user) throw new ApiError('not_signed_in')
  if (user.id !== personId) throw new ApiError('conflict', { reason: 'other_person' })
}

function checkNew(email: string, password: string | undefined): void {
  if (password === undefined) throw shapeError([{ path: 'password', rule: 'required' }])
  validatePassword(password, email)
}

async function addPerson(
  ctx: CallContext,
  tx: Database,
  person: { email: string; name: string; password: string; language: 'fr' | 'en' | null },
): Promise<string> {
  const id = await insertUser(tx, { id: ctx.makeId(), ...person })
  if (id === null) throw new ApiError('conflict', { reason: 'address_taken' })
  return id
}

/**
 * POST /invitations/{token}: the invited user becomes a member.
 *
 * 1. find the link, which is for one address
 * 2. if the address has an account, its user accepts when signed in; else an account is created
 *    with a password and signed in. A handed-over link requires a password from every other caller
 *    first, so that it reveals nothing about the address
 */
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../database/client/database.ts'
import { insertMembership, roleOf } from '../../db/users/memberships.ts'
import { findUserByEmail, insertUser, confirmUserAddress } from '../../db/users/users.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { ofWorkspace } from '../databases.ts'
import type { CallContext, Service } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { openUserSession } from '../identity/open-session.ts'
import { findLink, takeLink } from '../identity/user-link.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { readInvitation } from './read-invitation.ts'
import type { Verb } from '../verb.ts'
import type { Language } from '../../ground/texts/languages.ts'

export const acceptInvitation: Verb<'acceptInvitation'> = async (
  ctx,
  { params: { token }, body },
) => {
  const result = await findLink(ctx.db, 'invitation', token)
  const { email, workspaceId } = readInvitation(result)
  const known = await findUserByEmail(ctx.db, email)
  // Validates the password before it reveals whether the address has an account, when the caller
  // may not read its mailbox.
  if (!known || (!result.mailed && ctx.user?.id !== known.id)) checkNew(email, body.password)
  if (known) checkSignedIn(ctx, known.id)
  const { slug } = await workspaceSettings(ctx.db, workspaceId)
  const password = known ? null : await ctx.passwords.hash(body.password ?? '')
  const at = await ofWorkspace<Service>(ctx, workspaceId)
  return at.db.transaction(async (tx) => {
    const link = await takeLink(tx, 'invitation', token)
    const { role: invitedAs } = readInvitation(link)
    const userId =
      known?.id ??
      (await addUser(ctx, tx, {
        ...{ email, name: readUserName(body.name ?? ''), password: password ?? '' },
        language: body.language ?? null,
      }))
    // An existing account may belong to somebody other than the mailbox's reader, if the link was
    // handed on: see reset-password.
    if (!known && link.mailed) await confirmUserAddress(tx, userId)
    const joins = await withinLimit(tx, workspaceId, 'members', () =>
      insertMembership(tx, workspaceId, userId, invitedAs),
    )
    // An existing member keeps their role.
    const role = (await roleOf(tx, workspaceId, userId)) ?? invitedAs
    if (joins)
      await recordAuditEntry(
        tx,
        { ...ctx, workspaceId, user: { id: userId, email } },
        { act: 'member.joined', subject: email, details: { role } },
      )
    const session = known ? null : await openUserSession(ctx, tx, { userId, method: 'link' })
    return {
      body: { object: 'membership', slug, role },
      ...(session && { headers: session.headers }),
    }
  })
}

/**
 * An invitation is for one address: no other account can take it, and it sets no password of an
 * existing account.
 */
function checkSignedIn({ user }: CallContext, userId: string): void {
  if (!user) throw new ApiError('not_signed_in')
  if (user.id !== userId) throw new ApiError('conflict', { reason: 'other_person' })
}

function checkNew(email: string, password: string | undefined): void {
  if (password === undefined) throw shapeError([{ path: 'password', rule: 'required' }])
  validatePassword(password, email)
}

async function addUser(
  ctx: CallContext,
  tx: Database,
  user: { email: string; name: string; password: string; language: Language | null },
): Promise<string> {
  const id = await insertUser(tx, { id: ctx.makeId(), ...user })
  if (id === null) throw new ApiError('conflict', { reason: 'address_taken' })
  return id
}

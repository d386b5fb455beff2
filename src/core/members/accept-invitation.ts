/**
 * POST /invitations/{token}: whoever was invited becomes a member.
 *
 * 1. the link, for one address
 * 2. who has that address accepts once they are signed in; where nobody has, a person is made with a password and signed in: a link
 *    that was handed over asks everybody else for a password first, so that trying it tells nothing of the address
 */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { Database } from '../../db/connect.ts'
import { insertMembership, roleOf } from '../../db/memberships.ts'
import { findPersonByEmail, insertPerson, provePerson } from '../../db/people.ts'
import { workspaceSettings } from '../../db/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { judgePassword } from '../people/judge-password.ts'
import { openSession } from '../people/open-session.ts'
import { findLink, takeLink } from '../people/person-link.ts'
import { readPersonName } from '../people/read-person-name.ts'
import { recordAct } from '../people/record-act.ts'
import { withinRoom } from '../room.ts'
import { readInvitation } from './read-invitation.ts'

export async function acceptInvitation(
  ctx: CallContext,
  { params: { token }, body }: InputOf<'acceptInvitation'>,
): Promise<AnswerOf<'acceptInvitation'>> {
  const found = await findLink(ctx.db, 'invitation', token)
  const { email, workspaceId } = readInvitation(found)
  const known = await findPersonByEmail(ctx.db, email)
  // What is wrong with a password is told before what is known of the address, where whoever asks may not read its mailbox.
  if (!known || (!found.mailed && ctx.person?.id !== known.id)) judgeNew(email, body.password)
  if (known) judgeSignedIn(ctx, known.id)
  const { slug } = await workspaceSettings(ctx.db, workspaceId)
  const password = known ? null : await ctx.passwords.hash(body.password ?? '')
  return ctx.db.transaction(async (tx) => {
    const link = await takeLink(tx, 'invitation', token)
    const { role: invitedAs } = readInvitation(link)
    const personId =
      known?.id ??
      (await addPerson(ctx, tx, {
        ...{ email, name: readPersonName(body.name ?? ''), password: password ?? '' },
        language: body.language ?? null,
      }))
    // An account that there was may be somebody else's than the mailbox's, whoever handed the link on: see reset-password.
    if (!known && link.mailed) await provePerson(tx, personId)
    const joins = await withinRoom(tx, workspaceId, 'members', () => insertMembership(tx, workspaceId, personId, invitedAs))
    // Who is a member already stays what they are.
    const role = (await roleOf(tx, workspaceId, personId)) ?? invitedAs
    const person = { id: personId, email }
    if (joins) await recordAct(tx, { ...ctx, workspaceId, person }, { act: 'member.joined', subject: email, details: { role } })
    const session = known ? null : await openSession(ctx, tx, personId, 'link')
    return { body: { object: 'membership', slug, role }, ...(session && { headers: session.headers }) }
  })
}

/** An invitation is for one address: no other account takes it, and no password of an account is set by it. */
function judgeSignedIn({ person }: CallContext, personId: string): void {
  if (!person) throw new ApiError('not_signed_in')
  if (person.id !== personId) throw new ApiError('conflict', { reason: 'other_person' })
}

function judgeNew(email: string, password: string | undefined): void {
  if (password === undefined) throw shapeError([{ path: 'password', rule: 'required' }])
  judgePassword(password, email)
}

async function addPerson(
  ctx: CallContext,
  tx: Database,
  person: { email: string; name: string; password: string; language: 'fr' | 'en' | null },
): Promise<string> {
  const id = await insertPerson(tx, { id: ctx.makeId(), ...person })
  if (id === null) throw new ApiError('conflict', { reason: 'address_taken' })
  return id
}

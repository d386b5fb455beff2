/** POST /password-resets: mails a link for a new password, where the address is somebody's. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { workspacesOf } from '../../db/memberships.ts'
import { findPersonByEmail } from '../../db/people.ts'
import { takeTry } from '../../db/sign-in-brakes.ts'
import type { CallContext } from '../context.ts'
import { networkOf } from '../forms/network-of.ts'
import { findMailer, mailPersonLink } from './mail-person-link.ts'
import type { Mailer } from './mail-person-link.ts'
import { makePersonLink } from './person-link.ts'
import { readEmail } from './read-email.ts'

/** Mails within a quarter of an hour. */
const addressMost = 3
const networkMost = 20

/** It is answered before anybody looks whether the address is known: neither content nor time tells. */
export async function askForReset(ctx: CallContext, { body }: InputOf<'askForReset'>): Promise<AnswerOf<'askForReset'>> {
  const email = readEmail(body.email)
  mailReset(ctx, email).catch((error: unknown) => ctx.log.error({ err: error }, 'A link for a new password was not mailed'))
  return { body: { object: 'done' } }
}

async function mailReset(ctx: CallContext, email: string): Promise<void> {
  const brakes = [
    { bucket: `reset ${email}`, most: addressMost },
    { bucket: `resets ${networkOf(ctx.visit.address)}`, most: networkMost },
  ]
  if ((await takeTry(ctx.countingDb, brakes)) > 0) return
  const person = await findPersonByEmail(ctx.db, email)
  if (!person) return
  const mailer = await findTheirMailer(ctx, person.id)
  if (!mailer) {
    ctx.log.warn({ personId: person.id }, 'A new password was asked for, and no workspace of the person can send')
    return
  }
  await ctx.db.transaction(async (tx) => {
    const { url } = await makePersonLink(ctx, tx, { purpose: 'reset', personId: person.id, mailed: true })
    await mailPersonLink(ctx, tx, mailer, { to: email, language: person.language, mail: { kind: 'reset', url } })
  })
  ctx.wake('transactional')
}

/** The first of their workspaces that can send. */
async function findTheirMailer({ db }: CallContext, personId: string): Promise<Mailer | null> {
  for (const { id } of await workspacesOf(db, personId)) {
    const mailer = await findMailer(db, id)
    if (mailer) return mailer
  }
  return null
}

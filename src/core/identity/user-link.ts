/**
 * Makes and reads single-use links: 256 random bits, stored as a digest, bound to one purpose, with
 * a lifetime.
 */
import { hash, randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../database/client/database.ts'
import {
  findUserLink,
  insertUserLink,
  takeUserLink,
  type UserLinkPurpose,
  type NewUserLink,
  type UserLinkRow,
} from '../../db/users/user-links.ts'
import type { Context } from '../context.ts'

/** The lifetime of each, and the page that it opens. */
const kinds: Record<UserLinkPurpose, { hours: number; page: string }> = {
  set_up: { hours: 24, page: 'set-up' },
  invitation: { hours: 7 * 24, page: 'invitation' },
  reset: { hours: 0.5, page: 'reset' },
}

/** Returns the whole address, shown only now. */
export async function makeUserLink(
  { makeId, settings }: Pick<Context, 'makeId' | 'settings'>,
  db: Database,
  link: Omit<NewUserLink, 'digest' | 'id' | 'hours'>,
): Promise<{ id: string; url: string }> {
  const token = randomBytes(32).toString('base64url')
  const { hours, page } = kinds[link.purpose]
  const id = makeId()
  await insertUserLink(db, { ...link, digest: digestOf(token), id, hours })
  return { id, url: `${settings.baseUrl}/app/${page}/${token}` }
}

/** Throws `link_not_valid`. */
export async function findLink(
  db: Database,
  purpose: UserLinkPurpose,
  token: string,
): Promise<UserLinkRow> {
  const link = await findUserLink(db, purpose, digestOf(token))
  if (!link) throw new ApiError('link_not_valid')
  return link
}

/** Finds the link and uses it up when the transaction commits. */
export async function takeLink(
  tx: Database,
  purpose: UserLinkPurpose,
  token: string,
): Promise<UserLinkRow> {
  const link = await takeUserLink(tx, purpose, digestOf(token))
  if (!link) throw new ApiError('link_not_valid')
  return link
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

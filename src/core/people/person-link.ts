/** Links that work once: 256 random bits, kept as a digest, bound to one purpose, for a time. */
import { hash, randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../db/connect.ts'
import { findPersonLink, insertPersonLink, takePersonLink } from '../../db/person-links.ts'
import type { LinkPurpose, NewPersonLink, PersonLinkRow } from '../../db/person-links.ts'
import type { Context } from '../context.ts'

/** How long each works, and the page that it opens. */
const kinds: Record<LinkPurpose, { hours: number; page: string }> = {
  set_up: { hours: 24, page: 'set-up' },
  invitation: { hours: 7 * 24, page: 'invitation' },
  reset: { hours: 0.5, page: 'reset' },
}

/** Answers the whole address, shown this once. */
export async function makePersonLink(
  { makeId, settings }: Pick<Context, 'makeId' | 'settings'>,
  db: Database,
  link: Omit<NewPersonLink, 'digest' | 'id' | 'hours'>,
): Promise<{ id: string; url: string }> {
  const token = randomBytes(32).toString('base64url')
  const { hours, page } = kinds[link.purpose]
  const id = makeId()
  await insertPersonLink(db, { ...link, digest: digestOf(token), id, hours })
  return { id, url: `${settings.baseUrl}/app/${page}/${token}` }
}

/** Throws `link_not_valid`. */
export async function findLink(db: Database, purpose: LinkPurpose, token: string): Promise<PersonLinkRow> {
  const link = await findPersonLink(db, purpose, digestOf(token))
  if (!link) throw new ApiError('link_not_valid')
  return link
}

/** The same, and it works no more once the transaction commits. */
export async function takeLink(tx: Database, purpose: LinkPurpose, token: string): Promise<PersonLinkRow> {
  const link = await takePersonLink(tx, purpose, digestOf(token))
  if (!link) throw new ApiError('link_not_valid')
  return link
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Lists the links of a captured mail, with the targets of tracked ones; this records no click. */
import type { MailLink as Shown } from '../../contract/workspace/captured.ts'
import type { FoundLink } from '../../mail/html/mail-links.ts'
import type { CallContext } from '../context.ts'
import { readTrackSubject } from '../sending/track-subject.ts'
import { linkTarget } from '../sending/link-target.ts'

type LinkContext = Pick<CallContext, 'db' | 'linkTokens' | 'settings' | 'workspaceId'>

/** Further links show only their address: each target costs a database query. */
const checkedMax = 30

export async function presentLinks(ctx: LinkContext, links: readonly FoundLink[]): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const [at, link] of links.entries())
    shown.push({ ...link, leads_to: at < checkedMax ? await targetOf(ctx, link.address) : null })
  return shown
}

async function targetOf(ctx: LinkContext, address: string): Promise<string | null> {
  if (!address.startsWith(`${ctx.settings.baseUrl}/c/`)) return null
  const [token = '', place = ''] = address.slice(`${ctx.settings.baseUrl}/c/`.length).split('/')
  const subject = ctx.linkTokens.read('track', token)
  if (subject?.workspaceId !== ctx.workspaceId || !/^\d{1,4}$/.test(place)) return null
  return linkTarget(ctx, { subject: readTrackSubject(subject), link: Number(place) })
}

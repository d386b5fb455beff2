/** GET /captured/{id}: a captured mail as a mail program shows it, and the code in it. */
import type { MailLink as Shown } from '../../contract/captured.ts'
import type { FoundLink } from '../../mail/html/mail-links.ts'
import type { CallContext } from '../context.ts'
import { domainOf } from '../domain-of.ts'
import { readHeaderLines } from '../presentation/read-header-lines.ts'
import { linkTarget } from '../sending/link-target.ts'
import { readTrackSubject } from '../sending/track-subject.ts'
import { findCaptured } from './find-captured.ts'
import { checkCaptured } from './check-captured.ts'
import { presentCaptured } from './present-captured.ts'
import { parseCapturedMail } from './read-mail.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

export const getCapturedMail: Verb<'getCapturedMail'> = async (ctx, { params }) => {
  refuseUnlessCapturing(ctx)
  const { entry, mail } = await findCaptured(ctx, params.id)
  const read = await parseCapturedMail(ctx, {
    workspaceId: ctx.workspaceId,
    raw: mail.raw,
    question: { want: 'page' },
  })
  // Users download files from the pages.
  const isByKey = ctx.user === null && !ctx.operator
  const contents = isByKey ? (read?.contents ?? []) : []
  const headers = readHeaderLines(mail.raw)
  return {
    body: {
      ...presentCaptured(entry),
      ...(!isByKey && { workspace: entry.workspace, read: entry.unread === 0, error: entry.error }),
      return_path: mail.returnPath,
      readable: read !== null,
      text: read?.text ?? null,
      html: read?.html ?? null,
      has_html: read !== null && read.html !== null,
      otp: read?.otp ?? null,
      links: await presentLinks(ctx, read?.links ?? [], await linkBases(ctx, entry.fromAddress)),
      headers,
      checks: read && checkCaptured(read, { headers, from: entry.fromAddress }),
      files:
        read?.files.map((file, position) => ({
          position,
          ...file,
          content: contents[position] ?? null,
        })) ?? [],
    },
  }
}

type LinkContext = Pick<
  CallContext,
  'db' | 'linkTokens' | 'mailDomains' | 'settings' | 'workspaceId'
>

/**
 * Where tracked links of a mail begin: our own address, and the customer's host. Another address
 * with a token of ours leads elsewhere.
 */
async function linkBases(
  { mailDomains, settings, workspaceId }: LinkContext,
  from: string,
): Promise<string[]> {
  const { trackingBaseUrl } = await mailDomains.get(workspaceId, domainOf(from))
  return [settings.baseUrl, trackingBaseUrl].flatMap((base) => (base === null ? [] : `${base}/c/`))
}

/** Further links show only their address: each target costs a database query. */
const checkedMax = 30

/** With the targets of tracked links; this records no click. */
async function presentLinks(
  ctx: LinkContext,
  links: readonly FoundLink[],
  bases: string[],
): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const [at, link] of links.entries())
    shown.push({
      ...link,
      leads_to: at < checkedMax ? await targetOf(ctx, link.address, bases) : null,
    })
  return shown
}

async function targetOf(
  ctx: LinkContext,
  address: string,
  bases: string[],
): Promise<string | null> {
  const base = bases.find((known) => address.startsWith(known))
  if (base === undefined) return null
  const [token = '', position = ''] = address.slice(base.length).split('/')
  const subject = ctx.linkTokens.read('track', token)
  if (subject?.workspaceId !== ctx.workspaceId || !/^\d{1,4}$/.test(position)) return null
  return linkTarget(ctx, { subject: readTrackSubject(subject), link: Number(position) })
}

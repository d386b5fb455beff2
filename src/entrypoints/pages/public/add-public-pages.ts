/**
 * The public pages for recipients of a workspace's mail: without a script, in the languages
 * of recipients, and GET changes nothing.
 */
import type { FastifyInstance } from 'fastify'
import { ofWorkspace } from '../../../core/databases.ts'
import type { Service } from '../../../core/context.ts'
import type { EntryPoints } from '../../../core/dispatch/entry-points.ts'
import { viewCampaign } from '../../../core/campaigns/view-campaign.ts'
import { addConfirmPages, tokenOf } from './add-confirm-pages.ts'
import { addDataPages } from './add-data-pages.ts'
import { addDataRequestPages } from './add-data-request-pages.ts'
import { addFormPages } from './add-form-pages.ts'
import { addFormSignUp } from './add-form-sign-up.ts'
import { addPreferencePages } from './add-preference-pages.ts'
import { addUnsubscribePages } from './add-unsubscribe-pages.ts'
import { coloursPath, styleAddress } from '../../../core/presentation/hosted-page.ts'
import { readColours, writePalette } from '../../../core/forms/form-colours.ts'
import { readPageStyle } from '../read-page-style.ts'
import { openPublicPages, type PublicPages } from './public-pages.ts'

const asStyle = {
  'Content-Type': 'text/css; charset=utf-8',
  'Cache-Control': 'public, max-age=3600',
  'X-Content-Type-Options': 'nosniff',
}

export function addPublicPages(
  server: FastifyInstance,
  service: Service,
  parts: EntryPoints,
): void {
  const pages = openPublicPages(server, service, parts)
  addConfirmPages(pages, service)
  addUnsubscribePages(pages, service)
  addPreferencePages(pages, service)
  addDataRequestPages(pages, service)
  addDataPages(pages, service)
  addFormPages(pages, service)
  addFormSignUp(parts, service)
  addViewPage(pages, service)
  const style = readPageStyle('public')
  server.get(styleAddress, (_request, reply) => reply.headers(asStyle).send(style))
  server.get<{ Querystring: Record<string, string> }>(coloursPath, (request, reply) => {
    const colours = readColours(request.query)
    return reply.headers(asStyle).send(colours ? writePalette(colours) : '')
  })
}

/**
 * `/view/{token}`: a campaign's mail in the browser, as its recipient received it. Opening it is
 * not counted.
 */
function addViewPage(pages: PublicPages, service: Service): void {
  pages.addMail('/view/:token', async (request) => {
    const subject = service.linkTokens.read('view', tokenOf(request))
    if (!subject) return null
    const at = await ofWorkspace(service, subject.workspaceId)
    return viewCampaign(at, {
      workspaceId: subject.workspaceId,
      id: subject.first,
      subscriberId: subject.second,
    })
  })
}

/** `/view/{token}`: a campaign's mail in the browser, as its recipient received it. Opening it is not counted. */
import type { Service } from '../../../core/context.ts'
import { viewCampaign } from '../../../core/campaigns/view-campaign.ts'
import { tokenOf } from './add-confirm-pages.ts'
import type { PublicPages } from './public-pages.ts'

export function addViewPage(pages: PublicPages, service: Service): void {
  pages.addMail('/view/:token', async (request) => {
    const subject = service.linkTokens.read('view', tokenOf(request))
    if (!subject) return null
    return viewCampaign(service, { workspaceId: subject.workspaceId, id: subject.first, subscriberId: subject.second })
  })
}

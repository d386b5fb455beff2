/** Dialogs that the search opens above any page. */
import { lazy, type ComponentType } from 'react'
import type { DialogProps } from '../../parts/FormDialog.tsx'

export type DialogName = 'campaign' | 'domain'

export const dialogs: Record<DialogName, ComponentType<DialogProps>> = {
  campaign: lazy(async () => ({
    default: (await import('../../pages/campaigns/NewCampaign.tsx')).NewCampaign,
  })),
  domain: lazy(async () => ({
    default: (await import('../../pages/settings/AddDomain.tsx')).AddDomain,
  })),
}

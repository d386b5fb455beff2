/** Dialogs that the search opens above any page. */
import { lazy, type ComponentType } from 'react'
import type { DialogProps } from '../../parts/FormDialog.tsx'

export type DialogName = 'campaign' | 'domain' | 'invitation' | 'key' | 'sender' | 'suppression'

export const dialogs: Record<DialogName, ComponentType<DialogProps>> = {
  campaign: lazy(async () => ({
    default: (await import('../../pages/campaigns/NewCampaign.tsx')).NewCampaign,
  })),
  domain: lazy(async () => ({
    default: (await import('../../pages/settings/AddDomain.tsx')).AddDomain,
  })),
  invitation: lazy(async () => ({
    default: (await import('../../pages/users/InviteMember.tsx')).InviteMember,
  })),
  key: lazy(async () => ({
    default: (await import('../../pages/settings/NewKey.tsx')).NewKey,
  })),
  sender: lazy(async () => ({
    default: (await import('../../pages/settings/SenderForm.tsx')).AddSender,
  })),
  suppression: lazy(async () => ({
    default: (await import('../../pages/suppression/AddAddress.tsx')).SuppressAddress,
  })),
}

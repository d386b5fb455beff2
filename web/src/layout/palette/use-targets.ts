/** What the search leads to: pages and actions that the user's role allows. */
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'
import { useMay, useReader } from '../../api/use-role.ts'
import type { IconName } from '../../parts/Icon.tsx'
import { isShown, mainEntries, settingsGroups } from '../menu-entries.ts'
import type { DialogName } from './dialogs.ts'

export interface Target {
  id: string
  label: string
  icon: IconName
  /** A page of the workspace, or one below /app. */
  to?: string
  dialog?: DialogName
  /** An address outside of the pages. */
  href?: string
}

type ActKey =
  | ('newCampaign' | 'compose' | 'addSubscriber' | 'importSubscribers' | 'newSegment')
  | ('suppressAddress' | 'suppress' | 'addSender' | 'newForm' | 'newWebhook')
  | ('addDomain' | 'newKey' | 'invite')

interface Act {
  key: ActKey
  icon: IconName
  role: Role
  to?: string
  dialog?: DialogName
}

const acts: readonly Act[] = [
  { key: 'newCampaign', icon: 'campaigns', role: 'editor', dialog: 'campaign' },
  { key: 'compose', icon: 'emails', role: 'editor', to: 'emails/new' },
  { key: 'addSubscriber', icon: 'subscribers', role: 'editor', to: 'subscribers/new' },
  { key: 'importSubscribers', icon: 'upload', role: 'editor', to: 'subscribers/import' },
  { key: 'newSegment', icon: 'filter', role: 'editor', to: 'segments/new' },
  { key: 'suppressAddress', icon: 'suppression', role: 'editor', dialog: 'suppression' },
  { key: 'suppress', icon: 'suppression', role: 'editor', to: 'suppression/import' },
  { key: 'addSender', icon: 'plus', role: 'editor', dialog: 'sender' },
  { key: 'newForm', icon: 'plus', role: 'editor', to: 'settings/forms/new' },
  { key: 'newWebhook', icon: 'webhooks', role: 'editor', to: 'webhooks/new' },
  { key: 'addDomain', icon: 'domains', role: 'owner', dialog: 'domain' },
  { key: 'newKey', icon: 'keys', role: 'owner', dialog: 'key' },
  { key: 'invite', icon: 'user', role: 'owner', dialog: 'invitation' },
]

export function useTargets(): { pages: Target[]; acts: Target[] } {
  const { t } = useTranslation('palette')
  const isEditor = useMay('editor')
  const reader = useReader()
  const settings = settingsGroups.flatMap(({ entries }) => [...entries])
  return {
    pages: [
      ...mainEntries.map((name): Target => ({ id: name, label: t(name), icon: name, to: name })),
      ...below.map(({ key, to, icon }): Target => ({ id: to, label: t(key), icon, to })),
      ...settings
        .filter((name) => isShown(name, reader))
        .map((name): Target => ({
          id: `settings/${name}`,
          label: `${t('settings')} › ${t(name)}`,
          icon: 'settings',
          to: `settings/${name}`,
        })),
      { id: 'account', label: t('account'), icon: 'user', to: '/account' },
      { id: 'reference', label: t('reference'), icon: 'external', href: '/docs' },
    ],
    acts: acts
      .filter(({ role }) => (role === 'owner' ? reader.isOwner : isEditor))
      .map(({ key, icon, to, dialog }) => ({ id: key, label: t(key), icon, to, dialog })),
  }
}

const below = [
  { key: 'segments', to: 'segments', icon: 'filter' },
  { key: 'fields', to: 'subscribers/fields', icon: 'subscribers' },
  { key: 'topics', to: 'subscribers/topics', icon: 'subscribers' },
] as const

/** What the menu leads to, in its order; words are in texts/…/shell.json by the same key. */
import type { Role } from '../../../src/contract/roles.ts'
import type { IconName } from '../parts/Icon.tsx'

export interface NavEntry {
  key: string
  /** Below the workspace. */
  to: string
  icon?: IconName
  /** Who sees it; absent: everybody. */
  role?: Role
}

export const mainEntries: readonly NavEntry[] = [
  { key: 'overview', to: 'overview', icon: 'overview' },
  { key: 'subscribers', to: 'subscribers', icon: 'subscribers' },
  { key: 'emails', to: 'emails', icon: 'emails' },
  { key: 'campaigns', to: 'campaigns', icon: 'campaigns' },
  { key: 'suppression', to: 'suppression', icon: 'suppression' },
  { key: 'captured', to: 'captured', icon: 'captured' },
  { key: 'webhooks', to: 'webhooks', icon: 'webhooks' },
]

export const settingsEntries: readonly NavEntry[] = [
  { key: 'keys', to: 'settings/keys' },
  { key: 'domains', to: 'settings/domains' },
  { key: 'senders', to: 'settings/senders' },
  { key: 'forms', to: 'settings/forms' },
  { key: 'plan', to: 'settings/plan' },
  { key: 'tracking', to: 'settings/tracking' },
  { key: 'languages', to: 'settings/languages' },
  { key: 'general', to: 'settings/general' },
  { key: 'members', to: 'settings/members' },
  { key: 'audit', to: 'settings/audit', role: 'owner' },
]

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

const mainKeys = ['overview', 'subscribers', 'emails', 'campaigns', 'suppression', 'captured', 'webhooks'] as const
const settingsKeys = ['keys', 'domains', 'senders', 'forms', 'plan', 'tracking', 'languages', 'general', 'members'] as const

export const mainEntries: readonly NavEntry[] = mainKeys.map((key) => ({ key, to: key, icon: key }))

export const settingsEntries: readonly NavEntry[] = [
  ...settingsKeys.map((key) => ({ key, to: `settings/${key}` })),
  { key: 'audit', to: 'settings/audit', role: 'owner' },
]

/** The pages that menus lead to: paths below the workspace, and the keys of their words. */

export const mainEntries = [
  'overview',
  'subscribers',
  'emails',
  'campaigns',
  'suppression',
  'captured',
  'webhooks',
] as const

export type SettingsEntry = (typeof settingsGroups)[number]['entries'][number]

/** The sections of the settings by subject; `title` is a key of the shell's words. */
export const settingsGroups = [
  { title: 'workspace', entries: ['general', 'languages', 'members', 'plan'] },
  { title: 'settingsSending', entries: ['domains', 'senders', 'tracking', 'forms'] },
  { title: 'settingsDevelopers', entries: ['keys', 'requests'] },
  { title: 'settingsData', entries: ['retention', 'audit', 'installation'] },
] as const

/** Sections that the service shows to owners alone. */
const ofOwners: ReadonlySet<SettingsEntry> = new Set(['audit', 'requests'])

/** The installation is shown to owners of all its workspaces. */
export const isShown = (
  entry: SettingsEntry,
  { isOwner, ownsAll }: { isOwner: boolean; ownsAll: boolean },
): boolean => (entry === 'installation' ? ownsAll : isOwner || !ofOwners.has(entry))

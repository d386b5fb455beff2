/** What each role is called, and what it may, by the keys of the texts. */
import type { Role } from '../../../../src/contract/roles.ts'

export const roleTexts = {
  viewer: { name: 'viewer', may: 'viewerMay' },
  editor: { name: 'editor', may: 'editorMay' },
  owner: { name: 'owner', may: 'ownerMay' },
} as const satisfies Record<Role, { name: string; may: string }>

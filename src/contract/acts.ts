/** What the audit log of a workspace tells of: each act by noun and verb. The pages have a text for each, in both languages. */
export const acts = [
  'workspace.created',
  'member.invited',
  'member.joined',
  'member.added',
  'member.role_changed',
  'member.removed',
  'member.left',
  'invitation.withdrawn',
] as const

export type ActName = (typeof acts)[number]

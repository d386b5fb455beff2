/** What people may be in a workspace; each may all that those before it may. */
export const roles = ['viewer', 'editor', 'owner'] as const

export type Role = (typeof roles)[number]

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

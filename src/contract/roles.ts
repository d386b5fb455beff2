/**
 * Defines the roles of users in a workspace; each role includes the permissions of those before it.
 */
export const roles = ['viewer', 'editor', 'owner'] as const

export type Role = (typeof roles)[number]

export const isAtLeast = (role: Role, needed: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed)

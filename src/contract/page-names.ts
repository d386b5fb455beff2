/**
 * Lists first path parts of pages below /app outside workspaces: no workspace may use one as its
 * slug.
 */
export const pageNames = [
  'sign-in',
  'set-up',
  'invitation',
  'reset',
  'account',
  'new-workspace',
  'assets',
] as const

/** The address of a page outside workspaces, as the pages' router has it. */
export type AccountPagePath = PageName | `${PageName}/${string}`

type PageName = (typeof pageNames)[number]

const names: ReadonlySet<string> = new Set(pageNames)

export const isPageName = (slug: string): boolean => names.has(slug)

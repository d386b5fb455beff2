/** First parts of the pages' addresses, below /app, that are of no workspace: no workspace has one of them as its slug. */
export const pageNames = ['sign-in', 'set-up', 'invitation', 'reset', 'account', 'new-workspace', 'assets'] as const

/** The address of a page of no workspace, as the pages' router has it. */
export type AccountPagePath = PageName | `${PageName}/${string}`

type PageName = (typeof pageNames)[number]

const names: ReadonlySet<string> = new Set(pageNames)

export const isPageName = (slug: string): boolean => names.has(slug)

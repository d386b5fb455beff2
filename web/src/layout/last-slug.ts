/** The workspace that was looked at last in this browser. */

const store = 'facteur-workspace'

export const lastSlug = (): string | null => window.localStorage.getItem(store)

export const storeSlug = (slug: string): void => window.localStorage.setItem(store, slug)

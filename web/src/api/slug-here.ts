/** The workspace that the address names; null on the pages that have none. */

/** First words below /app that no workspace's page begins with. */
const noWorkspace = new Set(['sign-in', 'set-up', 'invitation', 'reset', 'account', 'new-workspace'])

export function slugHere(path = window.location.pathname): string | null {
  const word = /^\/app\/([^/]+)/.exec(path)?.[1]
  return word === undefined || noWorkspace.has(word) ? null : decodeURIComponent(word)
}

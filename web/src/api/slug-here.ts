/**
 * The workspace that the address names; null on the pages that have none, and `-` on the operator's
 * page of captured mail.
 */
import { pageNames } from 'virtual:contract'

const ofNoWorkspace: ReadonlySet<string> = new Set(pageNames)

export function slugHere(path = window.location.pathname): string | null {
  const word = /^\/app\/([^/]+)/.exec(path)?.[1]
  return word === undefined || ofNoWorkspace.has(word) ? null : decodeURIComponent(word)
}

/** No workspace has this slug. */
export const operatorSlug = '-'

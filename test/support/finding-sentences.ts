/**
 * The sentences of preflight's findings, for an operator and on the pages, filled with the details
 * that a finding has.
 */
import assert from 'node:assert/strict'
import type { Finding } from '../../src/core/campaigns/preflight/finding.ts'
import { printFinding } from '../../src/entrypoints/cli/campaign/print-finding.ts'
import en from '../../web/src/texts/en.json' with { type: 'json' }
import fr from '../../web/src/texts/fr.json' with { type: 'json' }

/** What the page adds to the details (web/src/pages/campaigns/editor/say-finding.ts). */
const addedByPage = new Set(['number', 'why', 'heldFor', 'count', 'what'])

/** Fails where a sentence names a value that the finding does not have. */
export function assertFilled(finding: Finding): void {
  const { check, reason, details } = finding
  const { message, next = '' } = printFinding(finding, { slug: 'shop', id: 'ID' })
  // Merge tags that a sentence shows are no places.
  const written = Object.values(details).reduce<string>(
    (text, value) => text.replaceAll(String(value), ''),
    message + next,
  )
  assert.deepEqual(
    written.match(/\{\{(?!fields\.|firstName)\w+\}\}/g),
    null,
    `${check} ${reason}: ${message} ${next}`,
  )
  for (const drafts of [en.drafts, fr.drafts] as Record<string, string>[]) {
    const key = reason === 'good' ? `good_${check}` : `reason_${reason}`
    const sentences = [drafts[key], drafts[`${key}_one`], drafts[`${key}_other`]].filter(
      (text) => text !== undefined,
    )
    // The page shows no finding of an unfinished content: its problems say more.
    assert.ok(sentences.length > 0 || check === 'content', key)
    for (const sentence of sentences)
      for (const [, name = ''] of sentence.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(
          name in details || addedByPage.has(name),
          `${key}: {{${name}}} of ${JSON.stringify(details)}`,
        )
  }
}

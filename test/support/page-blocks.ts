/** The code blocks of a page in `docs/`, so that a test follows what a reader copies. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { here } from './service.ts'

/** The blocks of one language, in the page's order. */
export function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(here, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  )
}

/** The only block of one language. */
export function blockOf(page: string, language: string): string {
  const blocks = blocksOf(page, language)
  assert.equal(blocks.length, 1, `${page} has ${blocks.length} blocks of ${language}`)
  return blocks[0] ?? ''
}

/** The text with each part of it replaced; a part that the page no longer has fails the test. */
export function withReplaced(text: string, replacements: Record<string, string>): string {
  let changed = text
  for (const [part, other] of Object.entries(replacements)) {
    assert.ok(changed.includes(part), `the page does not have ${part} any more`)
    changed = changed.replaceAll(part, other)
  }
  return changed
}

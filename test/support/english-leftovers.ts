/**
 * Finds English on a page that is shown in French: lines that the English texts of the pages have,
 * and the French ones have not.
 */
import type { Page } from 'playwright-core'
import en from '../../web/src/texts/en.json' with { type: 'json' }
import fr from '../../web/src/texts/fr.json' with { type: 'json' }

/** The texts of all areas; with values in them they match any value. */
const english = Object.entries(en).flatMap(([area, texts]) => {
  const french = new Set(Object.values(fr[area as keyof typeof fr]))
  return Object.values<string>(texts).filter((text) => !french.has(text))
})
const anyFrench = new Set(Object.values(fr).flatMap((texts) => Object.values<string>(texts)))
const patterns = english
  // A word of both languages, such as "Message", is none.
  .filter((text) => !anyFrench.has(text) && /[a-z]{3}/.test(text.replaceAll(/\{\{\w+\}\}/g, '')))
  .map(
    (text) =>
      new RegExp(
        `^${text
          .split(/\{\{\w+\}\}/)
          .map(RegExp.escape)
          .join('.+')}$`,
      ),
  )

/** The lines of the page, what is read out included. */
export async function englishLeftOn(page: Page): Promise<string[]> {
  const shown = await page.locator('main').innerText()
  const labelled = await page.locator('main [aria-label]').all()
  const labels = await Promise.all(labelled.map((element) => element.getAttribute('aria-label')))
  return [...shown.split('\n'), ...labels].flatMap((line) => {
    const text = (line ?? '').trim()
    return patterns.some((pattern) => pattern.test(text)) ? [text] : []
  })
}

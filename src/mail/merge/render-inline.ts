/** Renders the inside of a paragraph as HTML and as plain text. */
import type { InlineRun } from './inline-text.ts'

/** Safe in text and in quoted attributes. Marks pass through. */
export const escapeHtml = (text: string): string =>
  /[&<>"'\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)
    ? text
        .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
        .replace(/[&<>"']/g, (character) => escapes[character] ?? '')
    : text

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** `linkStyle` is the inline style of links; line feeds become breaks. */
export function inlineHtml(runs: readonly InlineRun[], linkStyle: string): string {
  return groupByLink(runs)
    .map((group) => {
      const inside = group.map(runHtml).join('')
      const link = group[0]?.link ?? null
      return link === null
        ? inside
        : `<a class="f-link" href="${escapeHtml(link.to)}" style="${linkStyle}">${inside}</a>`
    })
    .join('')
}

function runHtml({ text, bold, italic }: InlineRun): string {
  const words = escapeHtml(text).replaceAll('\n', '<br>\n')
  const slanted = italic ? `<em>${words}</em>` : words
  return bold ? `<strong>${slanted}</strong>` : slanted
}

/** A link's address follows its text in brackets; a bare address shows its target. */
export function inlineText(runs: readonly InlineRun[]): string {
  return groupByLink(runs)
    .map((group) => {
      const words = group.map((run) => run.text).join('')
      const link = group[0]?.link ?? null
      if (link === null) return words
      return bareAddressPattern.test(words) ? link.to : `${words} (${link.to})`
    })
    .join('')
}

const bareAddressPattern = /^(?:https?:\/\/\S+|\ufdd0[sw]\ufdd1)$/i

function groupByLink(runs: readonly InlineRun[]): InlineRun[][] {
  const groups: InlineRun[][] = []
  for (const run of runs) {
    const last = groups.at(-1)
    if (last && last[0]?.link === run.link) last.push(run)
    else groups.push([run])
  }
  return groups
}

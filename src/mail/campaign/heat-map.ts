/**
 * Draws a campaign's clicks on its mail: every followed link gets a frame and, behind its text, its
 * numbers. A tokenizer finds the marks of links and removes their addresses, so that no link in the
 * picture works; all else stays as written.
 */
import { applyEdits, type Edit } from '../html/apply-edits.ts'
import { scanTags, type TagListener } from '../html/scan-tags.ts'
import { escapeHtml } from '../merge/render-inline.ts'

export interface LinkHeat {
  /** From 0, not clicked, to `levelMax`. */
  level: number
  /** The text on the picture: `12 % · 45`. */
  label: string
}

export const levelMax = 4

/**
 * `marked`: a compiled campaign's html (slots.ts). `heatOf`: the heat of the n-th link. Null means
 * the link stays unchanged.
 */
export function drawHeatMap(marked: string, heatOf: (link: number) => LinkHeat | null): string {
  const edits: Edit[] = []
  let open: LinkHeat | null = null
  let headEnd: number | null = null
  const listener: TagListener = {
    onOpen(name, attributes, places) {
      const link = linkPattern.exec(attributes.get('href') ?? '')?.[1]
      const location = places?.['href']
      if (name === 'a') open = null
      if ((name !== 'a' && name !== 'area') || link === undefined || !location) return
      const heat = heatOf(Number(link))
      if (!heat) return
      edits.push({
        start: location.startOffset,
        end: location.endOffset,
        text: `data-heat="${heat.level}"`,
      })
      if (name === 'a') open = heat
    },
    onClose(name, start) {
      if (name === 'head') headEnd ??= start ?? null
      if (name !== 'a' || open === null || start === undefined) return
      edits.push({
        start,
        end: start,
        text: `<span data-heat-figure="${open.level}">${escapeHtml(open.label)}</span>`,
      })
      open = null
    },
  }
  scanTags(marked, listener, { withPlaces: true })
  const style: Edit = {
    start: headEnd ?? 0,
    end: headEnd ?? 0,
    text: `<style>${styleSheet}</style>`,
  }
  return applyEdits(marked, [style, ...edits])
}

/** Exactly the text that `writeMark` writes for a link. */
const linkPattern = /^\ufdd0l([0-9]+)\ufdd1$/

/** Ground and letters of each level: 4.5 : 1 and more (WCAG 2.2, 1.4.3). */
const colours: [ground: string, letters: string][] = [
  ['#e9ecef', '#343a40'],
  ['#ffe8a3', '#3d2b00'],
  ['#ffb84d', '#3d2600'],
  ['#c2410c', '#ffffff'],
  ['#9f1239', '#ffffff'],
]

const styleSheet = [
  '[data-heat]{text-decoration:underline}',
  '[data-heat-figure]{display:inline-block!important;margin:2px 4px!important;padding:0 7px!important;border-radius:9px!important;' +
    'font:600 12px/18px system-ui,sans-serif!important;letter-spacing:0!important;text-transform:none!important;white-space:nowrap!important;' +
    'vertical-align:middle!important}',
  ...colours.flatMap(([ground, letters], level) => [
    `[data-heat="${level}"]{outline:2px ${level === 0 ? 'dashed #868e96' : `solid ${ground}`}!important;outline-offset:2px!important}`,
    `[data-heat-figure="${level}"]{background:${ground}!important;color:${letters}!important}`,
  ]),
].join('\n')

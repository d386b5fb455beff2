/**
 * Campaigns as a browser shows them: every block on a phone and in a mail window, by day and by
 * night.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { blockTypes } from '../../src/contract/campaign-content.ts'
import { blockSamples, camille, templateOf, type Content } from '../support/campaign-samples.ts'
import { openContext, startBrowser } from '../support/browser.ts'

const { browser, skip } = await startBrowser()

/** 64 × 48 pixels of one colour, for every picture of a mail. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48" fill="#888"/></svg>`

interface View {
  width: number
  scheme?: 'light' | 'dark'
}

async function show(
  t: TestContext,
  content: Content,
  { width, scheme = 'light' }: View,
): Promise<Page> {
  const page = await (
    await openContext(t, browser, { viewport: { width, height: 800 }, colorScheme: scheme })
  ).newPage()
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: picture }),
  )
  await page.setContent(templateOf(content).renderHtml(camille, null))
  return page
}

const widthBeyond = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/**
 * Every piece of text that is seen, with its contrast against the ground it stands on (WCAG 2.2,
 * 1.4.3).
 */
const faintTexts = `(() => {
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  const parse = (color) => color.match(/[0-9.]+/g).map(Number)
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] === 1) return color
    }
    return [255, 255, 255]
  }
  const faint = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let seen = 0
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue
    seen++
    const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))].sort((a, b) => b - a)
    const ratio = (one + 0.05) / (other + 0.05)
    if (ratio < 4.5) faint.push(walker.currentNode.data.trim() + ' ' + ratio.toFixed(2))
  }
  return seen === 0 ? ['no text'] : faint
})()`

for (const type of blockTypes) {
  for (const width of [360, 600]) {
    test(
      `${type} at ${width} pixels: nothing to scroll sideways, every text legible by day and by night`,
      { skip },
      async (t) => {
        for (const scheme of ['light', 'dark'] as const) {
          const page = await show(t, { content: blockSamples[type] }, { width, scheme })
          assert.equal(await widthBeyond(page), 0)
          assert.deepEqual(await page.evaluate(faintTexts), [], scheme)
          assert.ok((await page.locator('.f-card').boundingBox())?.width === Math.min(width, 600))
        }
      },
    )
  }
}

test(
  'a button can be seen and hit: its colour, a height for a thumb, its whole area the link',
  { skip },
  async (t) => {
    for (const width of [360, 600]) {
      const page = await show(t, { content: blockSamples.button }, { width })
      const link = page.getByRole('link', { name: 'Voir la liste' })
      const box = (await link.boundingBox()) ?? assert.fail('not shown')
      assert.ok(box.height >= 44 && box.width >= 100, JSON.stringify(box))
      assert.ok(Math.abs(box.x + box.width / 2 - width / 2) < 2, 'centred')
      const cell = page.locator('td[bgcolor="#1d4ed8"]')
      assert.deepEqual(await cell.boundingBox(), box)
      const ground = await page.evaluate(
        `getComputedStyle(document.querySelector('td[bgcolor="#1d4ed8"]')).backgroundColor`,
      )
      assert.equal(ground, 'rgb(29, 78, 216)')
    }
  },
)

test(
  'columns stand beside each other in a window and below each other on a phone',
  { skip },
  async (t) => {
    for (const [width, beside] of [
      [360, false],
      [600, true],
      [1000, true],
    ] as const) {
      const page = await show(t, { content: blockSamples.columns }, { width })
      const boxes = await Promise.all(
        (await page.locator('.f-column').all()).map((column) => column.boundingBox()),
      )
      const [left, right] = boxes
      assert.ok(left && right)
      assert.equal(right.x > left.x && right.y === left.y, beside, `${width}`)
      if (!beside) assert.ok(right.y >= left.y + left.height && left.width === width)
    }
  },
)

test(
  'words and pictures without a place to break do not widen the mail: long words, long addresses, wide pictures',
  { skip },
  async (t) => {
    const long = 'x'.repeat(300)
    const page = await show(
      t,
      {
        content: [
          { type: 'heading', text: long },
          { type: 'paragraph', text: `https://example.com/${long}` },
          { type: 'list', items: [long] },
          { type: 'quote', text: long },
          { type: 'button', text: long, href: 'https://example.com/' },
          { type: 'image', src: 'https://example.com/wide.png', width: 2000 },
          {
            type: 'columns',
            columns: [[{ type: 'paragraph', text: long }], [{ type: 'heading', text: long }]],
          },
        ],
      },
      { width: 360 },
    )
    assert.equal(await widthBeyond(page), 0)
  },
)

test(
  'the preheader is not seen, the footer is, in the text format and below an author’s html too',
  { skip },
  async (t) => {
    for (const content of [
      { text: 'Bonjour' },
      { html: '<p>Bonjour</p>' },
      { html: '<body style="background:#000;color:#fff">Bonjour</body>' },
    ]) {
      const page = await show(t, { ...content, preheader: 'Trois choses' }, { width: 360 })
      assert.equal(await page.getByText('Trois choses').isVisible(), false)
      assert.ok(await page.getByRole('link', { name: 'Se désinscrire' }).isVisible())
      assert.ok(await page.getByText('75002 Paris').isVisible())
      assert.equal(await widthBeyond(page), 0)
      assert.deepEqual(await page.evaluate(faintTexts), [])
    }
  },
)

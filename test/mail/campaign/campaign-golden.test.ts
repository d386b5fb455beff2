/**
 * Every block and whole mails, letter for letter. `UPDATE_GOLDEN=1 npm test --
 * test/mail/campaign/campaign-golden.test.ts` writes them again; nothing else does, so that no
 * change of a received mail goes unread.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blockTypes } from '../../../src/contract/campaign-content.ts'
import type { CampaignToCompile } from '../../../src/mail/merge/compiled-campaign.ts'
import { mailStyle } from '../../../src/mail/campaign/mail-style.ts'
import { validateContent } from '../../../src/mail/content/validate-content.ts'
import { createMarkTable } from '../../../src/mail/merge/mark-table.ts'
import { renderBlocks } from '../../../src/mail/campaign/render-blocks.ts'
import { renderPlain } from '../../../src/mail/campaign/render-plain.ts'
import { blockSamples, camille, templateOf, type Content } from '../../support/campaign-samples.ts'

const folder = join(import.meta.dirname, 'golden')

/** Marks are written so that one can read them. */
function assertGolden(name: string, marked: string): void {
  const text = marked.replaceAll('\ufdd0', '⟦').replaceAll('\ufdd1', '⟧')
  const path = join(folder, name)
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, text)
  assert.ok(existsSync(path), `${name} was never written`)
  assert.equal(text, readFileSync(path, 'utf8'), `${name} is another`)
}

const names = [...blockTypes.map((type) => `block-${type}.txt`)]

for (const type of blockTypes) {
  test(`block ${type}: its rows and its plain text`, () => {
    const { source } = validateContent({ subject: 'x', content: blockSamples[type] })
    const blocks = source.kind === 'content' ? source.blocks : assert.fail('not blocks')
    const table = createMarkTable()
    const rows = renderBlocks(blocks, {
      table,
      syntax: 'formatted',
      width: 536,
      padding: mailStyle.padding,
    })
    const plain = renderPlain(blocks, { table, syntax: 'formatted' })
    assertGolden(
      `block-${type}.txt`,
      `${rows}\n${plain}\n${JSON.stringify({ tags: table.tags, links: table.links }, null, 1)}\n`,
    )
  })
}

const mails: Record<string, { content: Content; changes?: Partial<CampaignToCompile> }> = {
  text: {
    content: {
      subject: 'Des nouvelles, {{firstName}}',
      text: '# Bonjour {{firstName}}\n\nVoir https://example.com/.\nÀ {{fields.city}} *.*',
    },
  },
  content: { content: { preheader: 'Trois choses', content: Object.values(blockSamples).flat() } },
  'content-untracked': {
    content: { content: blockSamples.paragraph },
    changes: {
      trackClicks: false,
      trackOpens: false,
      language: 'en',
      workspace: { id: 1, name: 'Shop', slug: 'shop', postalAddress: null },
    },
  },
  html: {
    content: {
      preheader: 'Trois choses pour {{firstName}}',
      html:
        '<!doctype html><html lang="fr"><head><title>Ancien</title><style>p{color:#333}</style></head><body bgcolor="#ffffff">' +
        '<!--[if mso]><p>Outlook</p><![endif]--><p>Bonjour {{firstName}},</p><p><a href="https://example.com/?p={{email}}">Voir</a></p>' +
        '<img src="https://example.com/a.png" alt="Photo"></body></html>',
    },
  },
  'html-complete': {
    content: {
      html: '<p>Boutique, 1 rue de la Paix, 75002 Paris. <a href="{{unsubscribe_url}}">Partir</a> <a href="{{view_url}}">Lire</a></p>',
    },
  },
}

for (const [name, { content, changes }] of Object.entries(mails)) {
  names.push(`mail-${name}.eml`)
  test(`a whole mail of ${name}`, () => {
    assertGolden(
      `mail-${name}.eml`,
      templateOf(content, changes).fill(camille).bytes.toString('latin1'),
    )
  })
}

test('no golden file without its test', () => {
  assert.deepEqual(readdirSync(folder).toSorted(), names.toSorted())
})

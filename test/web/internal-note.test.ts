/**
 * The internal note of a campaign on its pages: typed beside the draft, read and changed when the
 * campaign is no draft any more.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { draftOf } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { sql } from '../../src/database/client/sql.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const noteOf = async (id: string): Promise<string | null> => {
  const [row] = await api.service.db.rows<{ note: string | null }>(
    sql`select internal_note as note from campaign where id = ${id}`,
  )
  return row?.note ?? null
}

for (const [language, label] of [
  ['en', 'Internal note'],
  ['fr', 'Note interne'],
] as const)
  test(
    `a note is saved by itself in the editor, and on the page of a campaign that was sent, in ${language}`,
    { skip },
    async (t) => {
      const id = await draftOf(api, workspace)
      const { page, goto } = await openWorkspace(t, world, { at: `campaigns/${id}/edit`, language })
      const note = page.getByRole('textbox', { name: label })
      await note.fill('Approved by Ada')
      await until(
        () => noteOf(id),
        (text) => text === 'Approved by Ada',
      )
      await axe(page)
      await api.run(`update campaign set status = 'archived' where id = '${id}'`)
      await goto(`campaigns/${id}`)
      assert.equal(await note.inputValue(), 'Approved by Ada')
      await note.fill('Sent by mistake')
      await note.blur()
      await until(
        () => noteOf(id),
        (text) => text === 'Sent by mistake',
      )
      assert.equal(await page.getByRole('alert').count(), 0)
    },
  )

test('a viewer reads the note and does not change it', { skip }, async (t) => {
  const id = await draftOf(api, workspace)
  await api.run(`update campaign set internal_note = 'Wait for Bob' where id = '${id}'`)
  const { page } = await openWorkspace(t, world, { at: `campaigns/${id}`, role: 'viewer' })
  const note = page.getByRole('textbox', { name: 'Internal note' })
  assert.equal(await note.inputValue(), 'Wait for Bob')
  assert.equal(await note.isEditable(), false)
})

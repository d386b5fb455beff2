/**
 * The browser of the page tests: the machine changes no page, and a test that fails leaves a trace
 * and a picture in the folder that its message names.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FAILURES, skip } from '../support/browser.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/**
 * Runs the body of a test with a `page` in a process of its own; `check` runs at its end. Answers
 * its report and its folder.
 */
function play(
  body: string,
  { check = '', machine = {} }: { check?: string; machine?: Record<string, string> } = {},
): { status: number | null; output: string; failures: string } {
  const folder = makeTemporaryFolder('failed-pages')
  const failures = join(folder, 'failures')
  const file = join(folder, 'page.mjs')
  writeFileSync(
    file,
    `import assert from 'node:assert/strict'
    import { test } from 'node:test'
    import { openContext, startBrowser } from '${pathToFileURL(join(import.meta.dirname, '../support/browser.ts')).href}'
    const { browser } = await startBrowser()
    test('a page', async (t) => {
      const page = await (await openContext(t, browser, {}, () => { ${check} })).newPage()
      await page.setContent('<h1>Here</h1>')
      ${body}
    })`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, [file], {
    env: { ...env, ...machine, [FAILURES]: failures },
    encoding: 'utf8',
  })
  return { status, output: stdout, failures }
}

for (const [situation, body, check] of [
  ['an assertion', 'assert.equal(await page.locator("h1").innerText(), "There")', ''],
  ['what its page has done', '', 'throw new Error("it has asked a stranger")'],
] as const)
  test(
    `a test that fails for ${situation} leaves a trace and a picture, and its message names them`,
    { skip },
    () => {
      const { status, output, failures } = play(body, { check })
      assert.equal(status, 1)
      const [name = '', ...others] = readdirSync(failures)
      assert.deepEqual(others, [])
      assert.ok(output.includes(join(failures, name)), output)
      assert.match(output, check === '' ? /'Here' !== 'There'/ : /it has asked a stranger/)
      assert.deepEqual(readdirSync(join(failures, name)).toSorted(), ['page-1.png', 'trace.zip'])
      assert.equal(readFileSync(join(failures, name, 'trace.zip')).toString('latin1', 0, 2), 'PK')
    },
  )

test('a test that passes leaves nothing', { skip }, () => {
  const { status, output, failures } = play(
    'assert.equal(await page.locator("h1").innerText(), "Here")',
  )
  assert.equal(status, 0, output)
  assert.equal(existsSync(failures), false)
})

test(
  'neither locale nor time zone nor home nor fonts of the machine reach a page',
  { skip },
  () => {
    const { status, output } = play(
      `const width = (family) => page.evaluate(\`document.querySelector('h1').style.font = '40px ' + \${JSON.stringify(family)}
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('h1'))
      range.getBoundingClientRect().width\`)
    assert.deepEqual(await page.evaluate('[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone]'), ['en-US', 'UTC'])
    const own = await width('"Open Sans"')
    // A substitute is placed by whole pixels.
    for (const family of ['"DejaVu Sans"', 'Arial', 'monospace', 'serif', 'sans-serif'])
      assert.ok(Math.abs((await width(family)) - own) < 1, family)`,
      {
        machine: {
          LANG: 'fr_FR.UTF-8',
          LANGUAGE: 'fr',
          LC_ALL: 'fr_FR.UTF-8',
          TZ: 'Asia/Tokyo',
          HOME: '/nowhere',
        },
      },
    )
    assert.equal(status, 0, output)
  },
)

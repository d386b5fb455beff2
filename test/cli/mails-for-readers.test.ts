/**
 * The mails that `test/cases` has for Outlook, for apps and for merge tags, as `campaign preview`
 * and `campaign preflight` show them.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
await ask(api.baseUrl, 'POST /api/v1/subscribers', {
  key: shop.key,
  body: { email: 'ann+news@reader.test', double_opt_in: false },
})
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const folder = join(import.meta.dirname, '../cases')
const filesOf = (kind: string): string[] =>
  readdirSync(folder).filter((file) => file.startsWith(`${kind}--`))

const line = (verb: string, ...rest: string[]): string[] => [
  'campaign',
  verb,
  '--workspace',
  'shop',
  ...rest,
]
const create = async (file: string): Promise<string> =>
  String(
    at(
      await operator.json(
        line('create', '--name', file, '--subject', 'News', '--html', join(folder, file)),
      ),
      'id',
    ),
  )
const preview = async (id: string, ...flags: string[]): Promise<string> =>
  String(at(await operator.json(line('preview', id, ...flags)), 'html'))

/**
 * What Outlook on Windows shows: it skips from an opening whose condition is false to the next end.
 */
function asOutlook(html: string): string {
  const [first = '', ...rest] = html
    .replaceAll(/<!--(?=<!\[endif\])|(?<=<!\[endif\])-->/g, '')
    .split(/<!--(?=\[if)/)
  return rest.reduce((shown, part) => {
    const [, condition = '', inside = '', behind = ''] =
      /^\[if ([^\]]*)\]>(?:<!-->)?(.*?)<!\[endif\](.*)$/s.exec(part) ?? []
    return shown + (/^\(?mso/.test(condition) ? inside : '') + behind
  }, first)
}

const asOthers = (html: string): string => html.replaceAll(/<!--.*?-->/gs, '')

for (const file of [...filesOf('outlook-hides-rest'), ...filesOf('outlook-shows-both')]) {
  test(`${file}: Outlook shows its part, all others theirs, and both the rest`, async () => {
    const html = await preview(await create(file))
    const [outlook, others] = [asOutlook(html), asOthers(html)]
    assert.match(outlook, /For Outlook[^]*After: the news itself[^]*<\/html>/)
    assert.doesNotMatch(outlook, /For all others/)
    assert.match(others, /For all others[^]*After: the news itself[^]*<\/html>/)
    assert.doesNotMatch(others, /For Outlook/)
  })
}

for (const file of filesOf('link-taken-away')) {
  test(`${file}: the link stays`, async () => {
    const id = await create(file)
    assert.match(await preview(id), /<a href="(?:sms|tel|webcal):[^"]+">Press here<\/a>/)
    const output = (await operator.run(line('preflight', id))).stdout.toString()
    assert.doesNotMatch(output, /taken away/)
  })
}

for (const file of filesOf('merge-tag-unencoded')) {
  test(`${file}: the value is percent-encoded`, async () => {
    assert.match(
      await preview(await create(file), '--as', 'ann+news@reader.test'),
      /e=ann%2Bnews%40reader\.test/,
    )
  })
}

/**
 * Imports of subscribers at the command line: output, refusals, and a process that is killed in the
 * middle.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { programFile } from '../support/program.ts'
import { createOperator, runProgram } from './facteur.ts'

const { url } = await freshDatabase()
const operator = createOperator({ DATABASE_URL: url })
const folder = makeTemporaryFolder('import')

async function workspace(name: string): Promise<string> {
  return String(at(await operator.json(['workspace', 'create', name]), 'slug'))
}

function fileOf(name: string, text: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const consent = ['--consent', 'They asked at the fair']

test('a word of a status that is not known is named with the line that says what it means; then it is imported', async () => {
  const slug = await workspace('Import words')
  const line = ['subscriber', 'import', '--workspace', slug, ...consent]
  const file = fileOf('words.csv', 'email,status\na@example.com,Gold\nb@example.com,cancelled\n')
  await operator.refused([...line, file], {
    ...{ code: 'failed', exit: 1 },
    message:
      /^Nothing was imported, .* column "status": "Gold" \(1 line\)\. .* --status-word "Gold=subscribed"/,
  })
  await operator.refused([...line, '--status-word', 'Gold=member', file], {
    code: 'usage',
    exit: 2,
    message: /"Gold=member" is not/,
  })
  const output = await operator.text([...line, '--status-word', 'Gold=subscribed', file])
  assert.match(output, /^1 new, 0 updated, 1 refused\.\n {2}1 {2}file\.unsubscribed: the file says/)
})

test('tags that more than one character may divide: the refusal names the line that says which does', async () => {
  const slug = await workspace('Import tags')
  const line = ['subscriber', 'import', '--workspace', slug, ...consent]
  const file = fileOf(
    'tags.csv',
    'email,tags\na@tags.example,vip/beta\nb@tags.example,"x;y"\nc@tags.example,24/7\n',
  )
  await operator.refused([...line, file], {
    ...{ code: 'failed', exit: 1 },
    message:
      /^Nothing was imported, .* "\/" \(2 lines, such as "vip\/beta"\), ";" \(1 line, such as "x;y"\)\. .*--tag-separator "\/"\. .*","\.\n$/,
  })
  await operator.refused([...line, '--tag-separator', 'x', file], {
    code: 'usage',
    exit: 2,
    message: /"x" is not 1 to 5 characters/,
  })
  await operator.text([...line, '--tag-separator', ';', file])
  const { rows } = await runOn(
    url,
    `select tags from subscriber where email like '%@tags.example' order by email`,
  )
  assert.deepEqual(rows, [{ tags: ['vip/beta'] }, { tags: ['x', 'y'] }, { tags: ['24/7'] }])
})

test('counts, reasons and columns are printed, and the refused lines are written to a file', async () => {
  const slug = await workspace('Import told')
  const file = fileOf(
    'told.csv',
    'E-mail;Ville;Note\nada@example.com;Paris;=x\nADA@example.com;;\n=nobody;;\nbob@example.com;Rome;\n',
  )
  const report = join(folder, 'refused.csv')
  const text = await operator.text([
    ...[
      'subscriber',
      'import',
      '--workspace',
      slug,
      ...consent,
      '--map',
      'Ville=fields.city',
      '--tags',
      'fair,2026',
      '--refused',
      report,
      file,
    ],
  ])
  assert.equal(
    text,
    `Ignored columns: "Note".
2 new, 0 updated, 2 refused.
  1  duplicate: an earlier line of the file has the same address
  1  email.missing_at: not an address: there is no @
`,
  )
  assert.equal(
    readFileSync(report, 'utf8'),
    'E-mail;Ville;Note;Reason for refusal\nADA@example.com;;;an earlier line of the file has the same address\n' +
      "'=nobody;;;not an address: there is no @\n",
  )
  const { rows } = await runOn(
    url,
    `select tags, fields from subscriber where email = 'ada@example.com'`,
  )
  assert.deepEqual(rows, [{ tags: ['fair', '2026'], fields: { city: 'Paris' } }])
  const rehearsed = await operator
    .json(['subscriber', 'import', '--workspace', slug, '--double-opt-in', '--dry-run', file])
    .catch(() => null)
  assert.equal(rehearsed, null, 'nobody asks: the workspace has no sender')
  assert.partialDeepStrictEqual(
    await operator.json([
      'subscriber',
      'import',
      '--workspace',
      slug,
      ...consent,
      '--dry-run',
      file,
    ]),
    {
      ...{ id: null, dry_run: true, finished: true, people: 4, new: 0, updated: 2, refused: 2 },
      ...{ reasons: { duplicate: 1, 'email.missing_at': 1 }, ignored_columns: ['Ville', 'Note'] },
    },
  )
})

test('a process that is killed in the middle: the same line goes on, and ends as if nothing had been', async () => {
  const lines = Array.from({ length: 9_000 }, (_, n) =>
    n % 9 === 8 ? `not an address ${n},` : `p${n % 8_000}@example.com,N${n}`,
  )
  const file = fileOf('killed.csv', `email,firstName\n${lines.join('\n')}\n`)
  const [straight, killed] = [await workspace('Import straight'), await workspace('Import killed')]
  const line = (slug: string, report: string) => [
    'subscriber',
    'import',
    '--workspace',
    slug,
    ...consent,
    '--refused',
    report,
    file,
  ]
  const reports = [join(folder, 'straight.csv'), join(folder, 'killed-refused.csv')] as const
  const expected = await operator.json(line(straight, reports[0]))
  const broken = await operator.run(line(killed, reports[1]), {
    FACTEUR_FAILPOINTS: 'import.batch:kill@3',
  })
  assert.equal(broken.code, null)
  const after = await operator.json(line(killed, reports[1]))
  assert.partialDeepStrictEqual(after, { resumed_at: 2_000, finished: true, people: 9_000 })
  assert.deepEqual({ ...Object(after), id: 0, resumed_at: 0 }, { ...Object(expected), id: 0 })
  assert.equal(readFileSync(reports[1], 'utf8'), readFileSync(reports[0], 'utf8'))
  const { rows } = await runOn(
    url,
    `select w.slug, count(*)::int as people, (select count(*)::int from consent_evidence c where c.workspace_id = w.id) as evidence,
       md5(string_agg(s.email || s.status || coalesce(s.first_name, ''), ',' order by s.email)) as contents
     from subscriber s join workspace w on w.id = s.workspace_id where w.slug in ('${straight}', '${killed}') group by w.id order by w.slug`,
  )
  const [first, second] = rows
  assert.deepEqual({ ...first, slug: '' }, { ...second, slug: '' })
  assert.match((await operator.run(line(killed, reports[1]))).stdout.toString(), /^0 new/m)
})

test('standard input is imported like a file', async () => {
  const slug = await workspace('Import input')
  const { code, stdout } = await runProgram(
    [programFile, 'subscriber', 'import', '--workspace', slug, ...consent, '-'],
    { DATABASE_URL: url },
    Buffer.from('email\nada@example.com\n'),
  )
  assert.deepEqual([code, stdout.toString()], [0, '1 new, 0 updated, 0 refused.\n'])
})

test('an unreadable file or a missing option is reported in one line and nothing is stored', async () => {
  const slug = await workspace('Import refused')
  const line = ['subscriber', 'import', '--workspace', slug]
  const good = fileOf('good.csv', 'email\nada@example.com\n')
  await operator.refused([...line, good], {
    ...{ code: 'usage', exit: 2 },
    message: /^Say why these people may be written to: --consent "TEXT".*or --double-opt-in/,
  })
  const refusals: [line: string[], code: string, message: RegExp][] = [
    [[...consent, '--double-opt-in', good], 'usage', /one of the two/],
    [[...consent, '--map', 'X=colour', good], 'usage', /"X=colour" is not COLUMN=email/],
    [[...consent, '--tags', ',', good], 'usage', /1 to 20 tags/],
    [[...consent, join(folder, 'none.csv')], 'not_found', /^There is no file /],
    [
      [...consent, '--refused', join(folder, 'none', 'x.csv'), good],
      'refused',
      /cannot be written/,
    ],
    [
      [...consent, fileOf('latin1.csv', Buffer.from('email,nom\na@b.example,Zo\xe9\n', 'latin1'))],
      'refused',
      /line 2 is not UTF-8/,
    ],
    [
      [...consent, fileOf('open.csv', 'email,nom\na@b.example,"Zoé\n')],
      'refused',
      /opens in the record of line 2 is never closed/,
    ],
    [
      [...consent, fileOf('columns.csv', 'a;b\n')],
      'failed',
      /No column is known to be the address/,
    ],
  ]
  for (const [rest, code, message] of refusals) {
    const error = at(
      JSON.parse((await operator.run([...line, ...rest, '--json'])).stdout.toString()),
      'error',
    )
    assert.equal(at(error, 'code'), code)
    assert.match(String(at(error, 'message')), message)
  }
  const { rows } = await runOn(
    url,
    `select 1 from subscriber s join workspace w on w.id = s.workspace_id where w.slug = '${slug}'`,
  )
  assert.deepEqual(rows, [])
})

/** `facteur segment …`: an operator makes, counts, lists, exports and deletes segments. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const acme = await api.workspace('acme')
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const W = ['--workspace', 'acme']
const folder = makeTemporaryFolder('segments')

const fileOf = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test('segment create, list, count, members, export and delete', async () => {
  for (const [n, city] of ['Paris', 'paris', 'Lyon'].entries())
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: acme.key,
        body: { email: `p${n}@example.com`, double_opt_in: false, fields: { city } },
      }),
      201,
    )
  const definition = { all: [{ field: 'city', is: 'PARIS' }] }
  const file = fileOf('paris.json', JSON.stringify(definition))
  const create = ['segment', 'create', ...W, '--name', 'Parisians', '--definition', file]
  assert.partialDeepStrictEqual(await operator.json(create), { name: 'Parisians', version: 1 })
  const list = await operator.json(['segment', 'list', ...W])
  assert.partialDeepStrictEqual(at(list, 'data'), [{ name: 'Parisians', definition }])

  const count = ['segment', 'count', ...W, 'parisians']
  assert.partialDeepStrictEqual(await operator.json(count), { contacts: 2, subscribed: 2 })
  assert.match(
    await operator.text(count),
    /2 contacts, of whom 2 are subscribed\.\n {2}p1@example\.com \(subscribed\)\n {2}p0@example\.com/,
  )
  const members = await operator.json(['segment', 'members', ...W, 'Parisians'])
  assert.partialDeepStrictEqual(at(members, 'data'), [
    { email: 'p1@example.com' },
    { email: 'p0@example.com' },
  ])
  const exported = await operator.text(['segment', 'export', ...W, 'Parisians'])
  const [header, ...lines] = exported.trim().split('\r\n')
  assert.match(header ?? '', /^email,firstName,lastName,status,tags,fields\.city,source,/)
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    ['p1@example.com', 'p0@example.com'],
  )
  assert.partialDeepStrictEqual(
    members,
    await operator.json(['segment', 'export', ...W, 'parisians']),
  )
  assert.match(await operator.text(['segment', 'delete', ...W, 'Parisians']), /is deleted/)
  assert.match(await operator.text(['segment', 'list', ...W]), /There is no segment yet/)
})

test('what is wrong is named: a file that is not JSON, a part of the definition, a segment that is not there', async () => {
  const create = ['segment', 'create', ...W, '--name', 'Wrong', '--definition']
  const broken = await operator.run([...create, fileOf('broken.json', '{')])
  assert.match(broken.stderr, /broken\.json is not JSON/)
  const wrong = await operator.run([...create, fileOf('wrong.json', '{"any":[{"tag":7}]}')])
  assert.match(wrong.stderr, /definition\.any\.0\.tag/)
  const absent = await operator.run(['segment', 'count', ...W, 'Nobody'])
  assert.match(absent.stderr, /acme has no segment "Nobody"/)
  const noFile = await operator.run(['segment', 'export', ...W, 'Nobody'])
  assert.match(noFile.stderr, /acme has no segment "Nobody"/)
  assert.ok([broken, wrong, absent, noFile].every(({ code }) => code !== 0))
})

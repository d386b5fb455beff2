/** `facteur topic …`: an operator makes, lists, changes and deletes topics. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
await api.workspace('acme')
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const W = ['--workspace', 'acme']

test('topic create, list, set and delete', async () => {
  const created = await operator.json([
    ...['topic', 'create', ...W, 'Events', '--default-subscription', 'opt_out'],
    ...['--description', 'When we meet.'],
  ])
  assert.partialDeepStrictEqual(created, { name: 'Events', default_subscription: 'opt_out' })
  const id = String(at(created, 'id'))
  assert.match(
    await operator.text(['topic', 'set', ...W, id, '--name', 'Meetings']),
    /The topic is called "Meetings"\./,
  )
  assert.match(await operator.text(['topic', 'list', ...W]), /Meetings +opt_out +When we meet\./)
  assert.match(
    await operator.text(['topic', 'delete', ...W, id]),
    /The topic "Meetings" is deleted\./,
  )
  assert.deepEqual(at(await operator.json(['topic', 'list', ...W]), 'data'), [])
})

test('campaign create --topic and campaign topic: a draft is for a topic by its name, or for none', async () => {
  await operator.json(['topic', 'create', ...W, 'News'])
  const text = join(makeTemporaryFolder('topic'), 'news.txt')
  writeFileSync(text, 'Hello.')
  const written = ['campaign', 'create', ...W, '--name', 'n', '--subject', 's', '--text', text]
  const draft = await operator.json([...written, '--topic', 'news'])
  assert.partialDeepStrictEqual(draft, { topic: { name: 'News', left_out: null } })
  const id = String(at(draft, 'id'))
  assert.match(await operator.text(['campaign', 'show', ...W, id]), /Topic +News/)
  assert.match(await operator.text(['campaign', 'topic', ...W, id, 'none']), /is for no topic\./)
  assert.match(
    await operator.text(['campaign', 'topic', ...W, id, 'News']),
    /for the topic "News"\./,
  )
  await operator.refused(['campaign', 'topic', ...W, id, 'Absent'], {
    ...{ code: 'not_found', exit: 1, message: /acme has no topic "Absent"/ },
  })
})

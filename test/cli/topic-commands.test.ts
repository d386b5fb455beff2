/** `facteur topic …`: an operator makes, lists, changes and deletes topics. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
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

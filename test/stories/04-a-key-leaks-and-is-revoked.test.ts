/**
 * The fourth story: a key of the shop stands in a public repository. A stranger sends with it,
 * until the operator revokes it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { openStory } from '../support/story.ts'

interface ListedKey {
  id: string
  name: string
}

test('a key leaks and is revoked', async (t) => {
  const story = await openStory(t)
  const createKey = async (name: string): Promise<string> => {
    const created = await story.operator.json([
      'key',
      'create',
      '--workspace',
      'demo',
      '--name',
      name,
      '--scopes',
      'emails:send',
    ])
    return String(at(created, 'key'))
  }
  const keyId = async (name: string): Promise<string> => {
    const { data } = (await story.operator.json(['key', 'list', '--workspace', 'demo'])) as {
      data: ListedKey[]
    }
    return data.find((key) => key.name === name)?.id ?? assert.fail(`There is no key ${name}`)
  }
  const mail = (to: string) => ({ from: 'hello@demo.test', to, subject: 'Hello', text: 'Hello' })
  let leaked = ''

  await t.test(
    '1. The operator makes a key for the shop, which may send and nothing else.',
    async () => {
      leaked = await createKey('shop')
      assertAnswered(await story.call('POST /emails', mail('ada@example.com'), leaked), 202)
      assertRefused(await story.call('GET /subscribers', undefined, leaked), 'insufficient_scope')
    },
  )

  await t.test(
    '2. The key gets into a public repository, and a stranger sends with it.',
    async () => {
      assertAnswered(await story.call('POST /emails', mail('victim@example.com'), leaked), 202)
    },
  )

  await t.test(
    '3. The log of the workspace shows a mail that no user there has written.',
    async () => {
      const { body } = await story.call('GET /emails')
      assert.ok(JSON.stringify(body).includes('victim@example.com'))
    },
  )

  await t.test('4. The operator revokes the key: from then on no call sends with it.', async () => {
    assert.notEqual(await story.operator.text(['key', 'revoke', await keyId('shop')]), '')
    assertRefused(
      await story.call('POST /emails', mail('another@example.com'), leaked),
      'revoked_api_key',
    )
    assert.match(
      await story.operator.text(['key', 'list', '--workspace', 'demo']),
      /shop .*revoked/,
    )
  })

  await t.test('5. The shop has a new key, and other keys were never touched.', async () => {
    const next = await createKey('shop, after the leak')
    assertAnswered(await story.call('POST /emails', mail('bob@example.com'), next), 202)
    assertAnswered(await story.call('GET /me'), 200)
  })

  await t.test('6. The stranger’s last mail never left; all of the shop’s did.', async () => {
    for (const contact of ['ada', 'bob'])
      assert.equal((await story.mails(`${contact}@example.com`)).length, 1)
    const { body } = await story.call('GET /emails')
    assert.ok(!JSON.stringify(body).includes('another@example.com'))
  })
})

/** `facteur member`: links for new users and new passwords, roles, and refusals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn } from '../support/sign-in.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const acme = await api.workspace('acme')
const operator = createOperator({ DATABASE_URL: api.database.url })
const stranger = browser(api, null)
const password = 'correct horse battery'
const tokenOf = (output: unknown): string => String(at(output, 'link')).split('/').at(-1) ?? ''
const there = ['--workspace', 'acme']

test('the first account by a link, the next by an invitation; both are listed', async () => {
  const setUp = tokenOf(await operator.json(['member', 'set-up-link']))
  const body = { email: 'ada@example.com', name: 'Ada', password, workspace: 'acme' }
  assertAnswered(await stranger.ask(`POST /people/api/v1/set-up/${setUp}`, { body }), 200)
  await operator.refused(['member', 'set-up-link'], {
    code: 'refused',
    exit: 1,
    message: /There is an account already/,
  })
  const invited = await operator.json([
    'member',
    'invite',
    ...there,
    '--role',
    'viewer',
    'Grace@example.com',
  ])
  assertAnswered(
    await stranger.ask(`POST /people/api/v1/invitations/${tokenOf(invited)}`, {
      body: { password },
    }),
    200,
    {
      role: 'viewer',
    },
  )
  assert.match(
    await operator.text(['member', 'list', ...there]),
    /ada@example\.com +acme +Ada +owner[\s\S]*grace@example\.com +acme +- +viewer/,
  )
  await operator.refused(['member', 'invite', ...there, '--role', 'viewer', 'grace@example.com'], {
    ...({ code: 'refused', exit: 1, message: /is a member of acme already/ } as const),
  })
})

test('roles change, the last owner stays, a removed member is gone', async () => {
  const last = { code: 'refused', exit: 1, message: /is the last owner of acme/ } as const
  await operator.refused(['member', 'role', ...there, '--role', 'viewer', 'ada@example.com'], last)
  await operator.refused(['member', 'remove', ...there, 'ada@example.com'], last)
  assert.match(
    await operator.text(['member', 'role', ...there, '--role', 'editor', 'grace@example.com']),
    /is editor of acme/,
  )
  assert.match(
    await operator.text(['member', 'remove', ...there, 'grace@example.com']),
    /no longer a member/,
  )
  for (const ADDRESS of ['grace@example.com', 'nobody@example.com']) {
    await operator.refused(['member', 'remove', ...there, ADDRESS], {
      code: 'not_found',
      exit: 1,
      message: /^acme has no member "\S+"\. "facteur member list --workspace acme" shows all\./,
    })
  }
})

test('a link for a new password, with the codes of an app switched off for a user who lost them', async () => {
  const joan = await signIn(api, {
    email: 'joan@example.com',
    password,
    in: { [acme.id]: 'viewer' },
  })
  await api.run(
    `update user_account set totp_secret = '\\x00', totp_since = facteur_now() where id = '${joan.userId}'`,
  )
  const enter = (word: string) =>
    stranger.ask('POST /people/api/v1/session', { body: { email: joan.email, password: word } })
  const reset = async (line: string[], word: string): Promise<void> => {
    const token = tokenOf(await operator.json(['member', 'reset-link', ...line, joan.email]))
    assertAnswered(
      await stranger.ask(`POST /people/api/v1/password-resets/${token}`, {
        body: { password: word },
      }),
      200,
    )
  }
  await reset([], 'another good one')
  assertRefused(await enter('another good one'), 'second_factor_required')
  await reset(['--second-factor'], 'yet another one')
  assertAnswered(await enter('yet another one'), 200)
})

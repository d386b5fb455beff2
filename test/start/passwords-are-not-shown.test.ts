/**
 * No part of any password is ever shown: by doctor, by a start that is refused, in errors of the
 * settings.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readConfig } from '../../src/ground/config.ts'
import { connect } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import { withOpenDatabase } from '../../src/main/open-database.ts'
import { parseSmtpUrl } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { createOperator } from '../cli/facteur.ts'
import { startProgram } from '../support/service.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

/** Pieces that no text of ours holds, with what ends or breaks a login between them. */
const piece = fc.constantFrom('Zq7xw', '48151', 'kVjW', '62342', 'xQzY')
const between = fc.constantFrom(
  '@',
  '/',
  '#',
  '%',
  ' ',
  '"',
  "'",
  '?',
  ':',
  '@@',
  '%zz',
  '%40',
  '?ca=/',
  '?tls=',
  '\\',
  '&',
  '[',
  ']',
  '=',
  '://',
  'é',
)
const passwords = fc
  .tuple(
    piece,
    fc.array(fc.tuple(between, piece), { maxLength: 4 }),
    fc.constantFrom('', '@', '/', '#', '%'),
  )
  .map(([first, rest, last]) => ({
    password: first + rest.map((pair) => pair.join('')).join('') + last,
    pieces: [first, ...rest.map(([, next]) => next)],
  }))
const forms: ((password: string) => string)[] = [
  (password) => `postgres://ada:${password}@127.0.0.1:1/facteur`,
  (password) => `postgresql://${password}@127.0.0.1:1/facteur?connect_timeout=1`,
  (password) => `postgres://ada:${encodeURIComponent(password)}@127.0.0.1:1/facteur`,
  (password) => password,
]

const saysNothing = (logged: string, pieces: string[]): void => {
  for (const each of pieces) assert.ok(!logged.includes(each), `it shows ${each}:\n${logged}`)
}

const messageOf = (error: unknown): string => `${String(error)} ${(error as Error).stack ?? ''}`

test('a property of every DATABASE_URL: settings and the refusal to open it show no part of the password', async () => {
  await fc.assert(
    fc.asyncProperty(passwords, fc.constantFrom(...forms), async ({ password, pieces }, form) => {
      const env = { DATABASE_URL: form(password), FACTEUR_MASTER_KEY: masterKey }
      const open = async (): Promise<void> => {
        const config = readConfig(env)
        await withOpenDatabase(
          config,
          () => undefined,
          async (connectionString) => {
            const db = connect({ connectionString, poolSize: 1 })
            try {
              await db.rows(sql`select 1`)
            } finally {
              await db.end()
            }
          },
        )
      }
      await assert.rejects(open(), (error) => {
        saysNothing(messageOf(error), pieces)
        return true
      })
    }),
    { numRuns: 300 },
  )
})

test('a property of every FACTEUR_SMTP_URL and FACTEUR_BASE_URL: a refusal shows no part of the password', () => {
  const read = (work: () => unknown): string => {
    try {
      return JSON.stringify(work())
    } catch (error) {
      return messageOf(error)
    }
  }
  fc.assert(
    fc.property(passwords, ({ password, pieces }) => {
      const positionOf = (): unknown => {
        const { host, port, tls } = parseSmtpUrl(`smtp://ada:${password}@127.0.0.1:1`)
        return { host, port, tls }
      }
      saysNothing(read(positionOf), pieces)
      saysNothing(
        read(() => readConfig({ FACTEUR_BASE_URL: `https://ada:${password}@mail.example/?x` })),
        pieces,
      )
    }),
    { numRuns: 1_000 },
  )
})

const sample = fc.sample(passwords, { numRuns: 25, seed: 7 })

test('doctor shows no part of a password of the database or of the relay', async () => {
  for (const [index, { password, pieces }] of sample.entries()) {
    const form = forms[index % 3] ?? forms[0]
    const env = {
      ...{ DATABASE_URL: form?.(password) ?? '', FACTEUR_MASTER_KEY: masterKey, FACTEUR_PORT: '0' },
      FACTEUR_SMTP_URL: `smtp://ada:${index % 2 ? encodeURIComponent(password) : password}@127.0.0.1:1`,
    }
    const output = await createOperator(env).run(['doctor'])
    assert.equal(output.code, 1)
    saysNothing(`${output.stdout.toString()}${output.stderr}`, pieces)
  }
})

test('a start that is refused shows no part of it, on either stream', async (t) => {
  for (const password of [
    'Zq7xw@48151',
    'Zq7xw/48151',
    '48151#Zq7xw',
    'Zq7xw%zz48151',
    '62342?Zq7xw',
    'kVjW "Zq7xw\'',
  ]) {
    const env = {
      DATABASE_URL: `postgres://ada:${password}@127.0.0.1:1/facteur`,
      FACTEUR_MASTER_KEY: masterKey,
    }
    const program = await startProgram(t, { env })
    assert.equal((await program.ended).code, 1)
    assert.match(program.output(), /^DATABASE_URL: /m)
    saysNothing(program.output(), ['Zq7xw', '48151', '62342', 'kVjW'])
  }
})

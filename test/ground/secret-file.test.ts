/** A secret that was given where the path of its file is expected stands in no refusal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSecret } from '../../src/entrypoints/cli/read-secret.ts'
import { inboundCertificate } from '../../src/main/open-inbound.ts'
import { readPostmasterAccount } from '../../src/main/open-postmaster.ts'
import { readCertificate } from '../../src/main/read-certificate.ts'
import { readSecretFile } from '../../src/ground/secret-file.ts'

const secrets = [
  'fct_live_ThisIsTheKey',
  '-----BEGIN PRIVATE KEY-----\nThisIsTheKey\n-----END',
  'ThisIsTheKey/+='.repeat(500),
  'This\0IsTheKey',
]

const noVariables = { readVariable: () => null }
const readers: [name: string, read: (value: string) => unknown][] = [
  ['any setting', (value) => readSecretFile('FACTEUR_X', value)],
  [
    'the certificate of the inbound port',
    (value) => readCertificate({ certFile: value, keyFile: '/nowhere' }, inboundCertificate),
  ],
  [
    'the account of Postmaster Tools',
    (value) => readPostmasterAccount({ postmaster: { keyFile: value } } as never),
  ],
  ['--secret-file', (value) => readSecret(noVariables, null, value)],
  ['--secret-env', (value) => readSecret(noVariables, value, null)],
]
for (const [name, read] of readers)
  test(`${name}: refused without it`, () => {
    for (const secret of secrets)
      assert.throws(
        () => read(secret),
        (error: unknown) =>
          error instanceof Error &&
          /names/.test(error.message) &&
          !/IsTheKey|PRIVATE KEY/.test(error.message),
      )
  })

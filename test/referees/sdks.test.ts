/**
 * Resend's SDKs, unmodified, in seven languages: all programs make the same calls. `sdks/fetch.sh`
 * builds those that need it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import PostalMime from 'postal-mime'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { sdkFolder, sdkSources, skipsSdk, whereSdksCall } from '../support/sdk-matrix/built-sdks.ts'
import { keepSdkResult } from '../support/sdk-matrix/results.ts'

const run = promisify(execFile)
const api = await startApi()
const shop = await api.workspace('shop')
await shop.suppress('gone@example.com', 'complaint')

/** One line of a program: what the SDK answered, or how it showed the refusal. */
interface Step {
  step: string
  answer?: string[]
  status?: number
  code?: string
  message?: string
}

interface Program {
  command: readonly [string, ...string[]]
  bases: readonly string[]
  env: Readonly<Record<string, string>>
  version: readonly [file: string, pattern: RegExp]
}

/**
 * How each program is started, the spellings of the base address that its SDK takes (Go's and
 * Ruby's need the slash at the end), and where the version of the SDK stands.
 */
const languages: Readonly<Record<string, Program>> = {
  node: {
    command: ['node', 'node/send.mjs'],
    bases: ['/api/v1'],
    env: {},
    version: ['../../../package.json', /"resend": "(.+)"/],
  },
  python: {
    command: ['python3', 'send.py'],
    bases: ['/api/v1', '/api/v1/'],
    env: { PYTHONPATH: 'packages' },
    version: ['fetch.sh', /resend==([\d.]+)/],
  },
  go: {
    command: ['./referee'],
    bases: ['/api/v1/'],
    env: {},
    version: ['go/go.mod', /resend-go\/v3 v(.+)/],
  },
  rust: {
    command: ['target/debug/referee'],
    bases: ['/api/v1', '/api/v1/'],
    env: {},
    version: ['rust/Cargo.toml', /resend-rs.*"=(.+?)"/],
  },
  java: {
    command: ['java', '-cp', 'jars/*:.', 'Referee'],
    bases: ['/api/v1', '/api/v1/'],
    env: {},
    version: ['java/pom.xml', /resend-java<\/artifactId>\s*<version>(.+)</],
  },
  php: {
    command: ['php', 'send.php'],
    bases: ['/api/v1', '/api/v1/'],
    env: {},
    version: ['php/composer.json', /resend-php": "(.+)"/],
  },
  ruby: {
    command: ['ruby', 'send.rb'],
    bases: ['/api/v1/'],
    env: { GEM_PATH: 'gems' },
    version: ['ruby/Gemfile', /"resend", "(.+)"/],
  },
}

interface Refusal {
  status: number
  code: string
  says: RegExp
}

const refusals: Readonly<Record<string, Refusal>> = {
  'bad address': { status: 422, code: 'validation_error', says: /`to\.0`.*@/ },
  'other domain': { status: 422, code: 'unverified_from_domain', says: /elsewhere\.test/ },
  suppressed: { status: 422, code: 'suppressed_recipient', says: /gone@example\.com/ },
  'bad batch': { status: 422, code: 'validation_error', says: /`1\.to\.0`.*@/ },
  'wrong key': { status: 401, code: 'invalid_api_key', says: /./ },
}

for (const [language, { command, bases, env, version }] of Object.entries(languages))
  for (const base of bases)
    test(
      `${language}, called at ${base}: files, batch, read and every refusal as the SDK's users see them`,
      { skip: skipsSdk(language) },
      async () => {
        const [program, ...args] = command
        const { stdout } = await run(program, args, {
          cwd: sdkFolder(language),
          env: { ...process.env, ...env, ...whereToCall(base) },
        })
        const steps = new Map(readSteps(stdout).map((step) => [step.step, step]))
        await hasEveryField(steps.get('send'))
        await isStored(steps.get('batch'))
        await isRead(steps.get('get'))
        for (const [step, expected] of Object.entries(refusals)) refused(steps.get(step), expected)
        keepSdkResult('sends', language, {
          version: versionIn(...version),
          steps: [...steps.keys()],
        })
      },
    )

function whereToCall(base: string): NodeJS.ProcessEnv {
  return { ...whereSdksCall(`${api.baseUrl}${base}`, shop.key), OTHER_KEY: 're_123' }
}

function versionIn(file: string, pattern: RegExp): string {
  const [, version = ''] = pattern.exec(readFileSync(join(sdkSources, file), 'utf8')) ?? []
  assert.match(version, /^\d/, file)
  return version
}

/** The batch is two messages, in its order. */
async function isStored(sent: Step | undefined): Promise<void> {
  const subjects = await Promise.all((sent?.answer ?? []).map(async (id) => (await stored(id))[1]))
  assert.deepEqual(subjects, ['Commande n° 1042 ✓', 'Second'], sent?.message)
}

/** What the SDK read is what the database has. */
async function isRead(read: Step | undefined): Promise<void> {
  assert.deepEqual(read?.answer, await stored(read?.answer?.[0] ?? ''), read?.message)
}

async function stored(id: string): Promise<unknown[]> {
  const row = await api.service.db.row<Record<string, string>>(sql`
    select m.id, m.subject, b.html, b.text from message m
      join message_body b on b.workspace_id = m.workspace_id and b.message_id = m.id
    where m.workspace_id = ${shop.id} and m.id::text = ${id}`)
  return [row?.['id'], row?.['subject'], row?.['html'], row?.['text']]
}

function readSteps(stdout: string): Step[] {
  return stdout
    .trim()
    .split('\n')
    .map((line): Step => JSON.parse(line))
}

async function hasEveryField(sent: Step | undefined): Promise<void> {
  assert.equal(sent?.message, undefined)
  const [raw = Buffer.alloc(0)] = await shop.capturedMails(sent?.answer?.[0] ?? '', 1)
  const parsed = await PostalMime.parse(raw)
  assert.equal(parsed.subject, 'Commande n° 1042 ✓')
  assert.deepEqual(parsed.from, { name: 'Boutique', address: 'hello@shop.test' })
  assert.equal(parsed.replyTo?.[0]?.address, 'answers@example.com')
  assert.equal(parsed.html?.trim(), '<p>Bonjour</p>')
  assert.equal(parsed.text?.trim(), 'Bonjour')
  assert.equal(parsed.headers.find(({ key }) => key === 'x-order')?.value, '1042')
  const file = parsed.attachments.find(({ filename }) => filename === 'reçu.bin')
  assert.deepEqual(bytesOf(file), Buffer.from(Array.from({ length: 256 }, (_, n) => n)))
  const logo = parsed.attachments.find(({ filename }) => filename === 'logo.png')
  assert.deepEqual(bytesOf(logo), Buffer.from('\u0089PNG', 'latin1'))
  assert.equal(logo?.contentId, '<logo>')
}

const bytesOf = (
  file: { content: ArrayBuffer | Uint8Array | string } | undefined,
): Buffer | undefined =>
  file &&
  (typeof file.content === 'string'
    ? Buffer.from(file.content)
    : Buffer.from(new Uint8Array(file.content)))

/** The SDKs for Go, PHP and Ruby show the message alone; the others show status and code too. */
function refused(step: Step | undefined, expected: Refusal): void {
  assert.equal(step?.answer, undefined)
  if (step?.status !== undefined) assert.equal(String(step.status), String(expected.status))
  if (step?.code !== undefined) assert.equal(step.code, expected.code)
  assert.match(step?.message ?? '', expected.says)
}

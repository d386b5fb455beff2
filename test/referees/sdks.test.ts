/**
 * Resend's SDKs for Python, Go, Rust and Java, unmodified: `sdks/fetch.sh` builds one program for
 * each, and all make the same calls.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import PostalMime from 'postal-mime'
import { startApi } from '../support/api.ts'
import { diskFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const sources = join(import.meta.dirname, 'sdks')
const built = process.env['FACTEUR_SDKS'] ?? join(diskFolder(), 'facteur-sdks')
const api = await startApi()
const shop = await api.workspace('shop')
await shop.suppress('gone@example.com', 'complaint')

/** One line of a program: the identifiers of what was sent, or how the SDK showed the refusal. */
interface Step {
  step: string
  ids?: string[]
  status?: number
  code?: string
  message?: string
}

/**
 * How each program is started, and the spellings of the base address that its SDK takes: Go's needs
 * the slash at the end.
 */
const languages = {
  python: {
    command: ['python3', 'send.py'],
    bases: ['/api/v1', '/api/v1/'],
    env: { PYTHONPATH: 'packages' },
  },
  go: { command: ['./referee'], bases: ['/api/v1/'], env: {} },
  rust: { command: ['target/debug/referee'], bases: ['/api/v1', '/api/v1/'], env: {} },
  java: {
    command: ['java', '-cp', 'jars/*:.', 'Referee'],
    bases: ['/api/v1', '/api/v1/'],
    env: {},
  },
}

for (const [language, { command, bases, env }] of Object.entries(languages)) {
  const folder = join(built, language)
  const skip = isBuilt(language)
    ? false
    : `no Resend SDK for ${language}: sh test/referees/sdks/fetch.sh builds it`
  for (const base of bases)
    test(
      `${language}, called at ${base}: files, batch, read and every refusal as the SDK's users see them`,
      { skip },
      async () => {
        const [program = '', ...args] = command
        const { stdout } = await run(program, args, {
          cwd: folder,
          env: { ...process.env, ...env, ...whereToCall(base) },
        })
        const steps = new Map(readSteps(stdout).map((step) => [step.step, step]))
        await hasEveryField(steps.get('send'))
        assert.equal(steps.get('batch')?.ids?.length, 2)
        assert.equal(steps.get('get')?.ids?.length, 1)
        refused(steps.get('bad address'), {
          status: 422,
          code: 'validation_error',
          says: /`to\.0`.*@/,
        })
        refused(steps.get('other domain'), {
          status: 422,
          code: 'unverified_from_domain',
          says: /elsewhere\.test/,
        })
        refused(steps.get('suppressed'), {
          status: 422,
          code: 'suppressed_recipient',
          says: /gone@example\.com/,
        })
        refused(steps.get('bad batch'), {
          status: 422,
          code: 'validation_error',
          says: /`1\.to\.0`.*@/,
        })
        refused(steps.get('wrong key'), { status: 401, code: 'invalid_api_key', says: /./ })
      },
    )
}

/** The variables that the SDKs read: RESEND_BASE_URL, and Python's RESEND_API_URL. */
function whereToCall(base: string): NodeJS.ProcessEnv {
  const url = `${api.baseUrl}${base}`
  return {
    RESEND_BASE_URL: url,
    RESEND_API_URL: url,
    RESEND_API_KEY: shop.key,
    OTHER_KEY: 're_123',
  }
}

/**
 * True when the program was built from the sources of this checkout (`fetch.sh` leaves their
 * digest).
 */
function isBuilt(language: string): boolean {
  const files = globSync(`${sources}/${language}/**`, { withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
  const digest = createHash('sha256')
  for (const file of files.toSorted()) digest.update(readFileSync(file))
  try {
    return readFileSync(join(built, language, 'stamp'), 'utf8').trim() === digest.digest('hex')
  } catch {
    return false
  }
}

function readSteps(stdout: string): Step[] {
  return stdout
    .trim()
    .split('\n')
    .map((line): Step => JSON.parse(line))
}

async function hasEveryField(sent: Step | undefined): Promise<void> {
  assert.equal(sent?.message, undefined)
  const [raw = Buffer.alloc(0)] = await shop.capturedMails(sent?.ids?.[0] ?? '', 1)
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

/** Go's SDK shows the message alone; the others show status and code too. */
function refused(
  step: Step | undefined,
  wanted: { status: number; code: string; says: RegExp },
): void {
  assert.equal(step?.ids, undefined)
  if (step?.status !== undefined) assert.equal(String(step.status), String(wanted.status))
  if (step?.code !== undefined) assert.equal(step.code, wanted.code)
  assert.match(step?.message ?? '', wanted.says)
}

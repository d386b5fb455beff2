/**
 * A real browser for a test file: the pinned one of npm with its own fonts and libraries, or the
 * one that `FACTEUR_TEST_BROWSER` names. `HEADED=1` shows it in a window. A test that fails leaves
 * what its pages did and showed in a folder that its message names.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import bundled, { inflate } from '@sparticuz/chromium'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
} from 'playwright-core'
import { diskFolder, makeTemporaryFolder } from './temporary-folder.ts'

/** They switch off requests of its own, and features that fail in a container or as root. */
const flags = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  '--font-render-hinting=none',
]

/**
 * The longest that a page may take for one step: it only ends what hangs, so a busy machine has
 * plenty.
 */
export const patienceMs = 120_000

/**
 * The reason why page tests cannot run: npm has no browser for this platform, and none is named.
 */
export const skip: string | false =
  (process.platform === 'linux' && process.arch === 'x64') || named() !== undefined
    ? false
    : `npm has no browser for ${process.platform}-${process.arch}: name one in FACTEUR_TEST_BROWSER`

/** Ends with the test file. */
export async function startBrowser(): Promise<{ browser: Browser | null; skip: string | false }> {
  if (skip !== false) return { browser: null, skip }
  const browser = await launchBrowser()
  after(() => browser.close())
  return { browser, skip }
}

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  // Playwright leaves a folder for each trace; ours goes with the process.
  const tracesDir = makeTemporaryFolder('traces')
  return chromium.launch({
    ...(await programOptions()),
    args: flags,
    timeout: patienceMs,
    tracesDir,
  })
}

function named(): string | undefined {
  return process.env['FACTEUR_TEST_BROWSER'] || undefined
}

/** Nothing of the machine's fonts, locale, time zone or home changes a page. */
async function programOptions(): Promise<LaunchOptions> {
  const folder = await unpackBundled()
  const {
    PATH = '/usr/bin:/bin',
    DISPLAY,
    WAYLAND_DISPLAY,
    XAUTHORITY,
    XDG_RUNTIME_DIR,
  } = process.env
  const own = {
    PATH,
    HOME: join(folder, 'home'),
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  }
  const isHeaded = process.env['HEADED'] === '1'
  const executablePath = named() ?? (isHeaded ? installed() : undefined)
  if (executablePath === undefined)
    return {
      executablePath: join(folder, 'chromium'),
      env: { ...own, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
    }
  const screen = isHeaded ? { DISPLAY, WAYLAND_DISPLAY, XAUTHORITY, XDG_RUNTIME_DIR } : {}
  return { executablePath, headless: !isHeaded, env: { ...own, ...screen } }
}

function installed(): string {
  const paths = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
  ]
  const match = paths.find((path) => existsSync(path))
  if (match) return match
  throw new Error(
    'HEADED=1: the pinned browser has no window. Name another one: FACTEUR_TEST_BROWSER=/path/to/chromium',
  )
}

/**
 * It is unpacked on the disk once for all runs of a user, which takes longer than its start.
 * Several files do so at once, and a program that another process still writes does not start
 * (ETXTBSY): each process unpacks for itself, and the first result stays.
 */
async function unpackBundled(): Promise<string> {
  const folder = join(
    diskFolder(),
    `facteur-test-browser-${bundledVersion()}-${process.getuid?.() ?? 0}-2`,
  )
  if (existsSync(folder)) return folder
  const unpacked = mkdtempSync(`${folder}-`)
  const { TMPDIR } = process.env
  process.env.TMPDIR = unpacked
  try {
    await bundled.executablePath()
    await inflate(
      join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/bin/al2023.tar.br'),
    )
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  mkdirSync(join(unpacked, 'home'))
  writeFileSync(join(unpacked, 'fonts.conf'), fontSettings(folder))
  storeFirst(unpacked, folder)
  return folder
}

const fontSettings = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>
`

function bundledVersion(): string {
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  )
  return devDependencies['@sparticuz/chromium'] ?? ''
}

function storeFirst(unpacked: string, folder: string): void {
  try {
    renameSync(unpacked, folder)
  } catch (error) {
    rmSync(unpacked, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** Where failed tests leave traces and pictures of their pages. */
export const FAILURES = 'FACTEUR_TEST_FAILURES'

/**
 * A profile of its own, which ends with the test. `check` throws what is wrong with what the pages
 * have done; it is called again when they are closed.
 */
export async function openContext(
  t: TestContext,
  browser: Browser | null,
  options: BrowserContextOptions,
  check: () => void = () => undefined,
): Promise<BrowserContext> {
  if (!browser) throw new Error('There is no browser')
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  await context.tracing.start()
  t.after(async () => {
    const { passed, error } = outcomeOf(t)
    const failure = passed ? thrownBy(check) : error?.cause instanceof Error ? error.cause : error
    if (failure) await storeFailure(context, t.name, failure)
    await context.close()
    if (passed) {
      if (failure) throw failure
      check()
    }
  })
  return context
}

/** Node 24 has both (`nodejs.org/api/test.html`), and their types are missing. */
const outcomeOf = (t: TestContext): { passed: boolean; error: Error | null } =>
  t as TestContext & { passed: boolean; error: Error | null }

function thrownBy(check: () => void): Error | null {
  try {
    check()
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The message of the failure names the folder. */
async function storeFailure(context: BrowserContext, name: string, failure: Error): Promise<void> {
  const all = process.env[FAILURES] ?? join(diskFolder(), 'facteur-test-failures')
  mkdirSync(all, { recursive: true })
  const folder = mkdtempSync(join(all, `${name.replaceAll(/\W+/g, '-').slice(0, 60)}-`))
  for (const [at, page] of context.pages().entries())
    await page
      .screenshot({ path: join(folder, `page-${at + 1}.png`), timeout: 10_000 })
      .catch(() => undefined)
  await context.tracing.stop({ path: join(folder, 'trace.zip') }).catch(() => undefined)
  const { message } = failure
  failure.message += `\nIts pages: ${folder} (npx playwright-core show-trace ${folder}/trace.zip)`
  failure.stack = failure.stack?.replace(message, () => failure.message) ?? failure.message
}

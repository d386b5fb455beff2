/** A real browser for a test file: the one of the system or the one from npm; `skip` says why where none can start. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import bundled from '@sparticuz/chromium'
import { chromium, type Browser } from 'playwright-core'
import { diskFolder } from './temporary-folder.ts'

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

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']

/** Ends with the test file. */
export async function startBrowser(): Promise<{ browser: Browser | null; skip: string | false }> {
  try {
    const browser = await launchBrowser()
    after(() => browser.close())
    return { browser, skip: false }
  } catch (error) {
    return { browser: null, skip: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * It unpacks itself into the temporary folder, and only once for all runs: that takes longer than its start. Several files do so at
 * once, and a program that another process still writes does not start (ETXTBSY): each unpacks for itself, and the first is kept.
 */
async function unpackBundled(): Promise<string> {
  const kept = join(diskFolder(), `facteur-test-browser-${bundledVersion()}`)
  if (!existsSync(kept)) {
    const unpacked = mkdtempSync(`${kept}-`)
    const { TMPDIR } = process.env
    process.env.TMPDIR = unpacked
    try {
      await bundled.executablePath()
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    }
    keepFirst(unpacked, kept)
  }
  return join(kept, 'chromium')
}

function bundledVersion(): string {
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  )
  return devDependencies['@sparticuz/chromium'] ?? ''
}

function keepFirst(unpacked: string, kept: string): void {
  try {
    renameSync(unpacked, kept)
  } catch (error) {
    rmSync(unpacked, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  }
}

/** The caller closes it. Throws the reasons where none can start. */
export async function launchBrowser(): Promise<Browser> {
  const reasons: string[] = []
  for (const find of [() => Promise.resolve(installed.find((path) => existsSync(path))), unpackBundled]) {
    try {
      const executablePath = await find()
      if (executablePath !== undefined) return await chromium.launch({ executablePath, args: flags, headless: true })
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
    }
  }
  throw new Error(`no browser can start here: ${reasons.join('; ')}`)
}

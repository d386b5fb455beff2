/**
 * Runs the tests of one file in namespaces of their own: a network without a way out, ports below
 * 1024, the mail servers of others.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unpackedServers } from './unpacked-servers.ts'

/** All of it ends with its first process, and that with us. */
const unshare = ['--mount', '--net', '--pid', '--fork', '--kill-child']

/** The file's test reports go straight to our own runner. */
export function runInside(file: string): void {
  const why = whyNot()
  if (why !== null) return void test(`in namespaces: ${file}`, { skip: why })
  const home = mkdtempSync(join(tmpdir(), 'facteur-test-world-'))
  chmodSync(home, 0o755)
  const { status } = spawnSync(
    'unshare',
    [
      ...unshare,
      'sh',
      join(import.meta.dirname, 'namespace.sh'),
      process.execPath,
      join(import.meta.dirname, file),
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: home,
        FACTEUR_WORLD_HOME: home,
        FACTEUR_MAIL_SERVERS: unpackedServers,
      },
    },
  )
  rmSync(home, { recursive: true, force: true })
  process.exitCode = status ?? 1
}

/** In namespaces where Postfix is not installed: what was unpacked looks installed there. */
export async function runWithPostfix(file: string): Promise<void> {
  if (existsSync('/usr/sbin/postfix')) await import(file)
  else runInside(file)
}

function whyNot(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'skipped: namespaces take root on Linux'
  if (spawnSync('sh', ['-c', 'command -v ip'], { stdio: 'ignore' }).status !== 0)
    return 'skipped: ip (iproute2) is not installed'
  const tried = spawnSync('unshare', [...unshare, 'mount', '--make-rprivate', '/'], {
    encoding: 'utf8',
  })
  return tried.status === 0
    ? null
    : `skipped: no namespaces here: ${tried.stderr.trim() || String(tried.error)}`
}

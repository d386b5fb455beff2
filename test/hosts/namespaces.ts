/**
 * Runs a program in namespaces of its own, where it can make a network of hosts: nothing of this
 * machine's network is touched.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/**
 * Root of a user namespace may make networks and mounts, so that the user need not be root. All of
 * it ends with its first process.
 */
const unshare = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', '--kill-child']

/**
 * PostgreSQL refuses to run as root, so that its host has one more user namespace, with another
 * number for the same user.
 */
export const asDatabaseUser = ['unshare', '--user', '--map-user=65534', '--map-group=65534']

const commandOf = (program: string[]): string[] => [
  ...unshare,
  'sh',
  join(import.meta.dirname, 'namespace.sh'),
  ...program,
]

const nodeOf = (file: string, args: string[]): string[] => [
  process.execPath,
  join(import.meta.dirname, file),
  ...args,
]

/** The file's test reports go straight to our own runner. */
export function runInHosts(file: string): void {
  const why = whyNoHosts()
  if (why !== null) return void test(`in namespaces: ${file}`, { skip: why })
  const home = mkdtempSync(join(tmpdir(), 'facteur-test-hosts-'))
  const { status } = spawnSync('unshare', commandOf(nodeOf(file, [])), {
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: home },
  })
  rmSync(home, { recursive: true, force: true })
  process.exitCode = status ?? 1
}

/** Starts it beside us; its temporary files are in `home`. */
export function spawnInHosts(
  file: string,
  args: string[],
  { home, stdio }: { home: string; stdio: StdioOptions },
): ChildProcess {
  const child = spawn('unshare', commandOf(nodeOf(file, args)), {
    stdio,
    env: { ...process.env, TMPDIR: home },
  })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  return child
}

/** They end with us, also by Ctrl-C. */
const alive = new Set<ChildProcess>()
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => alive.size > 0 && process.exit(1))

/** Each of them is needed by a part of network.ts or host-postgres.ts. */
const probes = [
  'ip netns add probe',
  'ip link add to-probe type veth peer name eth0 netns probe',
  'ip rule add from 10.77.1.2 to 10.77.4.2 blackhole',
  'tc qdisc add dev to-probe root tbf rate 200kbit burst 3000 limit 60000',
  'mount -t tmpfs -o size=1m tmpfs /mnt',
  `nsenter --net=/run/netns/probe ${asDatabaseUser.join(' ')} true`,
]

/** Null if they can be made here. */
export function whyNoHosts(): string | null {
  if (process.platform !== 'linux') return 'skipped: network namespaces take Linux'
  if (spawnSync('sh', ['-c', 'command -v ip && command -v tc'], { stdio: 'ignore' }).status !== 0)
    return 'skipped: ip and tc (iproute2) are not installed'
  const tried = spawnSync('unshare', commandOf(['sh', '-ec', probes.join('\n')]), {
    encoding: 'utf8',
  })
  return tried.status === 0
    ? null
    : `skipped: no hosts in namespaces here: ${tried.stderr.trim() || String(tried.error)}`
}

/**
 * Runs the file system of an image as a container: namespaces of its own, its unprivileged user
 * without capabilities, and a root file system that cannot be written, as `docker run --read-only
 * --cap-drop ALL --security-opt no-new-privileges`.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Scope } from '../support/service.ts'
import { until } from '../support/until.ts'
import type { Image } from './build-image.ts'

export interface Container {
  output(): string
  saying(text: string | RegExp): Promise<void>
  /** As `docker exec`: in its namespaces, its environment and as its user. */
  exec(words: string[]): Promise<{ code: number | null; output: string }>
  /** SIGTERM to its first process, which goes on. */
  askToStop(): void
  /** Its exit code. */
  ended: Promise<number | null>
}

/** Gives up every right that the programs in it need not have, and cannot get one back. */
const asUser = ({ root, config }: Image): string[] => [
  ...['/usr/bin/setpriv', '--no-new-privs', '--bounding-set', '-all,+sys_chroot,+setuid,+setgid'],
  ...['/usr/sbin/chroot', `--userspec=${config.user}`, root],
]

/**
 * `writable`: folders that are a file system in memory, as `--tmpfs`. `readOnly`: folders of this
 * machine, by their place in the container.
 */
export function runContainer(
  scope: Scope,
  image: Image,
  {
    args,
    env,
    writable,
    readOnly = {},
  }: {
    args: string[]
    env: Record<string, string>
    writable: readonly string[]
    readOnly?: Record<string, string>
  },
): Container {
  const { root, config } = image
  const environment = { ...config.env, ...env }
  const bound = Object.entries(readOnly)
  const mounts = [
    `/bin/mount --bind "${root}" "${root}"`,
    ...bound.map(([location]) => `/bin/mkdir -p "${root}${location}"`),
    `/bin/mount -o remount,bind,ro "${root}"`,
    `/bin/mount -t proc proc "${root}/proc"`,
    `/bin/mount --rbind /dev "${root}/dev"`,
    ...bound.map(([location, folder]) => `/bin/mount --bind "${folder}" "${root}${location}"`),
    ...writable.map(
      (folder) => `/bin/mount -t tmpfs -o mode=1777,nosuid,nodev,noexec tmpfs "${root}${folder}"`,
    ),
  ]
  const line = [...asUser(image), ...config.entrypoint, ...args]
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '/bin/sh',
      '-c',
      `${mounts.join(' && ')} && exec "$0" "$@"`,
      ...line,
    ],
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = collect(child)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const first = (): string =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  scope.after(async () => {
    // Another user's process does not end with the one that made it (prctl(2), PR_SET_PDEATHSIG):
    // the first one of a namespace ends all.
    if (child.exitCode === null) process.kill(Number(first()), 'SIGKILL')
    await ended
  })
  return {
    output,
    async saying(text) {
      await until(() => {
        assert.equal(child.exitCode, null, output())
        return typeof text === 'string' ? output().includes(text) : text.test(output())
      })
    },
    async exec(words) {
      const inside = spawn(
        'nsenter',
        ['--target', first(), '--mount', '--pid', ...asUser(image), ...words],
        {
          env: environment,
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      const answer = collect(inside)
      const code = await new Promise<number | null>((resolve) => inside.on('close', resolve))
      return { code, output: answer() }
    },
    askToStop: () => void process.kill(Number(first()), 'SIGTERM'),
    ended,
  }
}

function collect(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  return () => output
}

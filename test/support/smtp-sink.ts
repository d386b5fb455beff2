/**
 * Postfix's `smtp-sink` and `smtp-source`: a receiver with given answers, and a sender to measure
 * against.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unpackedServers } from '../world/unpacked-servers.ts'
import { freePort } from './free-port.ts'
import { untilListening } from './postfix.ts'

export interface Sink {
  port: number
  /** How many messages came so far. */
  messages(): number
  /** Messages a second of `smtp-source -d` into the same sink, whose counters are read meanwhile. */
  runSource(options: { connections: number; messages: number; bytes: number }): Promise<number>
  stop(): void
}

/** A program of Postfix, and what it needs to find its libraries where it was only unpacked. */
interface Tool {
  file: string
  env: NodeJS.ProcessEnv
}

const [sink, source] = [findTool('smtp-sink'), findTool('smtp-source')]

/** Says how to get them where they are missing; null where they are installed. */
export const whyNoSink =
  sink !== null && source !== null
    ? null
    : 'smtp-sink and smtp-source are not there (Debian: apt-get install postfix, or unpack it: sh test/world/fetch-servers.sh)'

/** `flags` are smtp-sink's own. Throws where it is not there. */
export async function startSink(flags: string[] = []): Promise<Sink> {
  if (sink === null || source === null) throw new Error(String(whyNoSink))
  const port = await freePort()
  // -u: smtp-sink gives up root, as it asks for. The backlog holds a burst of dials.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(sink.file, [...asNobody, '-c', ...flags, `127.0.0.1:${port}`, '256'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: sink.env,
  })
  // -c: it prints its counters after each message.
  let counters = ''
  child.stdout.on('data', (piece) => (counters = (counters + String(piece)).slice(-200)))
  let output = ''
  child.stderr.on('data', (piece) => (output += String(piece)))
  await untilListening(port, () =>
    child.exitCode === null ? null : `${sink.file} ended: ${output}`,
  )
  return {
    port,
    messages: () => Number([...counters.matchAll(/mesg=(\d+)\s/g)].at(-1)?.[1] ?? 0),
    // -d: connections stay open, as ours do; -s: sessions in parallel; -l: bytes of the content.
    async runSource({ connections, messages, bytes }) {
      const from = ['-f', 'bench@demo.test', '-t', 'somebody@example.test', `127.0.0.1:${port}`]
      const size = ['-s', String(connections), '-m', String(messages), '-l', String(bytes)]
      const started = performance.now()
      const run = spawn(source.file, ['-d', ...size, ...from], {
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: 120_000,
        env: source.env,
      })
      const [code] = await once(run, 'exit')
      if (code !== 0) throw new Error('smtp-source failed')
      return messages / ((performance.now() - started) / 1_000)
    },
    stop: () => void child.kill(),
  }
}

function findTool(name: string): Tool | null {
  const installed = ['/usr/sbin', '/usr/libexec/postfix', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find(existsSync)
  if (installed !== undefined) return { file: installed, env: process.env }
  const file = join(unpackedServers, 'root/usr/sbin', name)
  const libraries = ['postfix', 'x86_64-linux-gnu', 'aarch64-linux-gnu'].map((folder) =>
    join(unpackedServers, 'root/usr/lib', folder),
  )
  return existsSync(file)
    ? { file, env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } }
    : null
}

/** Postfix's `smtp-sink` and `smtp-source`: where campaigns go, and what they are measured against. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'

export interface Sink {
  port: number
  /** Messages a second of `smtp-source -d` into the same sink. */
  runSource(options: { connections: number; messages: number; octets: number }): number
  stop(): void
}

/** Null where Postfix is not installed. */
export async function startSink(): Promise<Sink | null> {
  const [sink, source] = [tool('smtp-sink'), tool('smtp-source')]
  if (sink === null || source === null) return null
  const port = await freePort()
  // The backlog holds a burst of dials; -u: smtp-sink gives up root, as it asks for.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(sink, [...asNobody, `127.0.0.1:${port}`, '256'], { stdio: 'ignore' })
  while (!(await isListening(port))) await setTimeout(20)
  return {
    port,
    // -d: connections are kept, as ours are; -s: sessions in parallel; -l: octets of the content.
    runSource({ connections, messages, octets }) {
      const from = ['-f', 'bench@demo.test', '-t', 'somebody@example.test', `127.0.0.1:${port}`]
      const size = ['-s', String(connections), '-m', String(messages), '-l', String(octets)]
      const started = performance.now()
      const run = spawnSync(source, ['-d', ...size, ...from], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
      if (run.status !== 0) throw new Error(`smtp-source failed: ${run.stderr.toString()}`)
      return messages / ((performance.now() - started) / 1_000)
    },
    stop: () => void child.kill(),
  }
}

function tool(name: string): string | null {
  return ['/usr/sbin', '/usr/libexec/postfix', '/usr/local/sbin'].map((folder) => `${folder}/${name}`).find(existsSync) ?? null
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

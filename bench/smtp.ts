/**
 * How fast the SMTP client is: its messages per second into Postfix's `smtp-sink`. The yardstick is
 * `smtp-source -d` into the same sink, with the same size and number of connections. Runs
 * alternate, medians are printed. The sink and the source are processes of their own, so the CPU
 * time is the client's alone.
 */
import { parseArgs } from 'node:util'
import { systemClock } from '../src/ground/clock.ts'
import { createSmtpClient } from '../src/mail/smtp-client/smtp-client.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { median } from './accept/median.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    messages: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1,5,20,50' },
  },
})
const SIZE = 5_120
const messages = Number(values.messages)
const rounds = Number(values.rounds)

if (whyNoSink !== null) {
  console.error(`smtp: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}

interface Run {
  perSecond: number
  cpuMicros: number
}

const sink = await startSink()
try {
  const ratio: Record<string, number> = {}
  const figures: Record<string, object> = {}
  for (const connections of values.connections.split(',').map(Number)) {
    const ours: Run[] = []
    const theirs: number[] = []
    await runOurs(connections, Math.ceil(messages / 5))
    for (let round = 0; round < rounds; round++) {
      theirs.push(await sink.runSource({ connections, messages, bytes: SIZE }))
      ours.push(await runOurs(connections, messages))
    }
    const mine = median(ours.map((run) => run.perSecond))
    const reference = median(theirs)
    const cpu = median(ours.map((run) => run.cpuMicros))
    ratio[connections] = Number((mine / reference).toFixed(2))
    figures[connections] = {
      perSecond: Math.round(mine),
      smtpSourcePerSecond: Math.round(reference),
      cpuMicrosPerMessage: Math.round(cpu),
      ratios: ours.map((run, at) => Number((run.perSecond / (theirs[at] ?? NaN)).toFixed(2))),
    }
    if (!values.json) {
      console.log(
        `${connections} connections: ${Math.round(mine)}/s, smtp-source ${Math.round(reference)}/s, ratio ${ratio[connections]}, ${Math.round(cpu)} µs CPU a message`,
      )
    }
  }
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'smtp',
        ratio,
        figures: { bytes: SIZE, messages, rounds, ...figures },
      }),
    )
} finally {
  sink.stop()
}

async function runOurs(connections: number, count: number): Promise<Run> {
  const client = createSmtpClient({
    relay: { host: '127.0.0.1', port: sink.port, tls: 'none' },
    clock: systemClock,
    connections,
    messagesPerConnection: Infinity,
  })
  const lease = { mayProceed: () => true, mayPassDot: () => true }
  const bytes = message()
  const cpu = process.cpuUsage()
  const started = performance.now()
  let running = 0
  let ended = 0
  await new Promise<void>((resolve, reject) => {
    const fill = (): void => {
      while (running < count && client.free() > 0) {
        const envelope = {
          reference: `bench/${running++}`,
          returnPath: 'bench@demo.test',
          recipient: 'somebody@example.test',
          bytes,
          utf8: false,
        }
        client.handOff(envelope, lease).then((outcome) => {
          if (outcome.kind !== 'accepted') return reject(new Error(JSON.stringify(outcome)))
          if (++ended === count) resolve()
          else fill()
        }, reject)
      }
    }
    fill()
  })
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  await client.close(1_000)
  return { perSecond: count / seconds, cpuMicros: (user + system) / count }
}

/** Lines of 78 bytes, CRLF, as a composed mail has. */
function message(): Buffer {
  const head = 'From: bench@demo.test\r\nTo: somebody@example.test\r\nSubject: bench\r\n\r\n'
  const line = `${'x'.repeat(76)}\r\n`
  return Buffer.from((head + line.repeat(SIZE / line.length + 1)).slice(0, SIZE - 2) + '\r\n')
}

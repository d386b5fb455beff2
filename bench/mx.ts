/**
 * How fast our own delivery is: messages a second, each with both DKIM signatures (RSA-2048 and
 * Ed25519), looked up by MX and handed over to Postfix's `smtp-sink`. The yardstick is the most
 * that the machine can do: the RSA-2048 signatures of `openssl speed` on the same processors. Runs
 * alternate, and the median of their ratios is printed. The sink is a process of its own and has
 * its share of the processors; so has all that is not RSA.
 *
 * Ends with exit code 1 where a ratio misses its goal.
 */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/ground/clock.ts'
import type { Resolver } from '../src/ground/dns/lookup.ts'
import { createResolver } from '../src/ground/dns/resolver.ts'
import { signMessage, type DkimSigner } from '../src/mail/signing/dkim.ts'
import { subnetList, loopbackRanges } from '../src/ground/outbound/check-address.ts'
import {
  createDirectMx,
  type DirectMxOptions,
} from '../src/providers/direct-mx/create-direct-mx.ts'
import type { Envelope } from '../src/providers/provider.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { median } from './accept/median.ts'
import { startNameServer } from './mx/name-server.ts'
import { tarpitAddresses } from './mx/tarpit-addresses.ts'
import { rateOfOthers, type TarpitRun } from './mx/tarpits.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    messages: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '9' },
    size: { type: 'string', default: '5120' },
    domains: { type: 'string', default: '2000' },
  },
})
const messages = Number(values.messages)
const rounds = Number(values.rounds)
const size = Number(values.size)
const domains = Number(values.domains)
const cores = availableParallelism()
const signedAt = new Date()
const lease = { mayProceed: () => true, mayPassDot: () => true }
const bytes = message()
if (whyNoSink !== null) {
  console.error(`mx: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
// Every domain of the tarpits' scenario may have connections open; it takes 256 by itself.
const sink = await startSink(['-m', '8192'])
const dns = await startNameServer()
const keys: DkimSigner[] = [
  {
    algorithm: 'rsa-sha256',
    selector: 'rsa',
    domain: 'demo.test',
    key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  },
  {
    algorithm: 'ed25519-sha256',
    selector: 'ed',
    domain: 'demo.test',
    key: generateKeyPairSync('ed25519').privateKey,
  },
]
let signers = keys
const options: DirectMxOptions = {
  clock: systemClock,
  log: { warn: (fields, text) => console.error(text, fields) },
  resolver: openResolver(),
  countTls: () => undefined,
  memory: {
    take: ({ count: expected }) => Promise.resolve(expected),
    keepThrottle: () => undefined,
    keepCircuit: () => undefined,
    watch: () => ({ share: () => ({ count: 1, index: 0 }), stop: () => undefined }),
  },
  sign: async (envelope) => ({
    ...envelope,
    bytes: await signMessage(envelope.bytes, signers, { signedAt }),
  }),
  openPolicies: () => ({ of: () => Promise.resolve(null) }),
  heloName: 'bench.demo.test',
  sourceAddresses: [],
  port: sink.port,
  connectionsEach: 20,
  allowed: subnetList(loopbackRanges),
}
// One for all runs, as a process has one: its connections are open, and their number has grown,
// when it counts.
const provider = createDirectMx(options)

/** Of the ratios: what a change may not fall below on a machine that does nothing else. */
const goals = { signed: 0.55, besideTarpits: 0.9 }

interface Run {
  perSecond: number
  cpuMicros: number
}

try {
  const ours: Run[] = []
  const limits: number[] = []
  // Not counted: the code is compiled after it, as in a process that runs for a while.
  await run(keys, messages)
  for (let round = 0; round < rounds; round++) {
    limits.push(rsaSignaturesPerSecond())
    ours.push(await run(keys, messages))
  }
  const unsigned = await run([], messages)
  const p99 = await p99BesideTarpit()
  const others = await besideTarpits()
  const perSecond = median(ours.map((item) => item.perSecond))
  const limit = median(limits)
  const ratios = ours.map((item, at) => item.perSecond / (limits[at] ?? NaN))
  const reached = {
    signed: median(ratios),
    besideTarpit: p99.beside / p99.alone,
    besideTarpits: others.ratio,
  }
  const ratio = {
    signed: round2(reached.signed),
    besideTarpit: round2(reached.besideTarpit),
    besideTarpits: round2(reached.besideTarpits),
  }
  const figures = {
    ...{ cores, messages, rounds, size: bytes.length, domains },
    perSecond: Math.round(perSecond),
    rsaSignaturesPerSecond: Math.round(limit),
    cpuMicrosPerMessage: Math.round(median(ours.map((item) => item.cpuMicros))),
    unsignedPerSecond: Math.round(unsigned.perSecond),
    p99MsAlone: round2(p99.alone),
    p99MsBesideTarpit: round2(p99.beside),
    othersPerSecondAlone: Math.round(others.alone),
    othersPerSecondBesideTarpits: Math.round(others.beside),
    ratiosBesideTarpits: others.ratios.map(round2),
    ratios: ratios.map(round2),
  }
  if (values.json) console.log(JSON.stringify({ bench: 'mx', ratio, figures }))
  else {
    console.log(
      `${figures.perSecond} messages/s with both signatures; openssl makes ${figures.rsaSignaturesPerSecond} RSA signatures/s on ${cores} processors: ratio ${ratio.signed}`,
    )
    console.log(
      `${figures.cpuMicrosPerMessage} µs CPU a message; ${figures.unsignedPerSecond} messages/s without signatures`,
    )
    console.log(
      `p99 of one mail after the other: ${figures.p99MsAlone} ms, and ${figures.p99MsBesideTarpit} ms beside a thousand mails for a tarpit: ratio ${ratio.besideTarpit}`,
    )
    console.log(
      `domains with hosts of their own: ${figures.othersPerSecondAlone} messages/s, and ${figures.othersPerSecondBesideTarpits} beside tarpits, a tenth of ${domains} domains: ratio ${ratio.besideTarpits}`,
    )
  }
  const missed = Object.entries(goals).filter(
    ([name, goal]) => reached[name as keyof typeof goals] < goal,
  )
  for (const [name, goal] of missed) console.error(`The ratio ${name} is below its goal of ${goal}`)
  if (missed.length > 0) process.exitCode = 1
} finally {
  await provider.close(1_000)
  sink.stop()
  dns.close()
}

async function run(used: DkimSigner[], count: number): Promise<Run> {
  signers = used
  const cpu = process.cpuUsage()
  const began = performance.now()
  await sendAll(count)
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: count / seconds, cpuMicros: (user + system) / count }
}

/**
 * As many at once as a worker holds; a postponed mail goes again at its time, and holds its slot
 * meanwhile.
 */
function sendAll(count: number): Promise<void> {
  const sendOne = async (at: number): Promise<void> => {
    for (;;) {
      const outcome = await provider.handOff(
        envelopeTo(`${at}@domain${at % 100}.test`, { bulk: true }),
        lease,
      )
      if (outcome.kind === 'accepted') return
      if (outcome.kind !== 'postponed') throw new Error(JSON.stringify(outcome))
      await setTimeout(outcome.afterMs)
    }
  }
  return new Promise((resolve, reject) => {
    let started = 0
    let ended = 0
    const fill = (): void => {
      while (started < count && started - ended < 256 && provider.free() > 0) {
        sendOne(started++).then(() => (++ended === count ? resolve() : fill()), reject)
      }
    }
    fill()
  })
}

function envelopeTo(recipient: string, more: { bulk?: boolean } = {}): Envelope {
  return {
    ...{
      workspaceId: 1,
      returnPath: 'bounces@demo.test',
      fromDomain: 'demo.test',
      attempt: 1,
      utf8: false,
    },
    ...{ reference: `bench/${recipient}`, recipient, bytes, ...more },
  }
}

/**
 * By two providers in turns, so that other work of the machine slows both alike. One is alone; the
 * other has a thousand mails for a host that takes connections and never says a word. In
 * milliseconds.
 */
async function p99BesideTarpit(): Promise<{ alone: number; beside: number }> {
  const tarpit = createServer(() => undefined).listen(sink.port, tarpitAddresses.mute)
  const providers = { alone: createDirectMx(options), beside: createDirectMx(options) }
  const tookMs = { alone: [] as number[], beside: [] as number[] }
  for (const each of Object.values(providers))
    await each.handOff(envelopeTo('first@domain0.test'), lease)
  const stuck = Array.from({ length: 1_000 }, (_, at) =>
    providers.beside.handOff(envelopeTo(`${at}@tarpit.test`, { bulk: true }), lease),
  )
  for (let at = 0; at < 1_000; at++) {
    for (const which of at % 2 === 0
      ? (['alone', 'beside'] as const)
      : (['beside', 'alone'] as const)) {
      const began = performance.now()
      const { kind } = await providers[which].handOff(envelopeTo(`${at}@domain0.test`), lease)
      if (kind !== 'accepted') throw new Error(`A mail beside the tarpit: ${kind}`)
      tookMs[which].push(performance.now() - began)
    }
  }
  await Promise.all(Object.values(providers).map((each) => each.close(0)))
  await Promise.all(stuck)
  tarpit.close()
  const p99 = (list: number[]): number => list.toSorted((a, b) => a - b)[989] ?? NaN
  return { alone: p99(tookMs.alone), beside: p99(tookMs.beside) }
}

function openResolver(): Resolver {
  return createResolver({
    servers: [`127.0.0.1:${dns.port}`],
    timeoutMs: 2_000,
    clock: systemClock,
  })
}

/**
 * In turns, each run with a new provider and resolver: no destination is known, and no answer of
 * DNS.
 */
async function besideTarpits(): Promise<{
  alone: number
  beside: number
  ratio: number
  ratios: number[]
}> {
  signers = []
  const runOptions: TarpitRun = {
    domains,
    port: sink.port,
    lease,
    envelopeTo,
    makeProvider: () => createDirectMx({ ...options, resolver: openResolver() }),
  }
  const runs: { alone: number; beside: number }[] = []
  // Not counted: its code is not compiled yet.
  await rateOfOthers(runOptions, { beside: true })
  for (let round = 0; round < rounds; round++) {
    const rates = { alone: 0, beside: 0 }
    for (const which of round % 2 === 0
      ? (['alone', 'beside'] as const)
      : (['beside', 'alone'] as const))
      rates[which] = await rateOfOthers(runOptions, { beside: which === 'beside' })
    runs.push(rates)
  }
  const ratios = runs.map(({ alone, beside }) => beside / alone)
  const [alone, beside] = [
    median(runs.map((each) => each.alone)),
    median(runs.map((each) => each.beside)),
  ]
  return { alone, beside, ratio: median(ratios), ratios }
}

/**
 * By the clock, as ours are: by processor time alone, other programs would count against us only.
 */
function rsaSignaturesPerSecond(): number {
  const output = execFileSync(
    'openssl',
    ['speed', '-elapsed', '-seconds', '2', '-multi', String(cores), 'rsa2048'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  ).toString()
  // rsa  2048 bits 0.000550s 0.000016s   1818.1  62112.6
  const [, perSecond] =
    /^rsa\s+2048 bits\s+[\d.]+s\s+[\d.]+s(?:\s+[\d.]+s)*\s+([\d.]+)/m.exec(output) ?? []
  if (perSecond === undefined) throw new Error(`openssl speed said: ${output}`)
  return Number(perSecond)
}

/** Lines of 78 bytes, CRLF, as a composed mail has. */
function message(): Buffer {
  const head = `From: Bench <bench@demo.test>\r\nTo: somebody@example.test\r\nSubject: bench\r\nDate: ${signedAt.toUTCString()}\r\nMessage-ID: <bench@demo.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n`
  const line = `${'x'.repeat(76)}\r\n`
  return Buffer.from(`${(head + line.repeat(size / line.length + 1)).slice(0, size - 2)}\r\n`)
}

function round2(number: number): number {
  return Number(number.toFixed(2))
}

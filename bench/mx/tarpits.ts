/**
 * The rate of domains, each with a mail host of its own, alone and beside a tarpit for every nine
 * of them. Half of the tarpits say nothing after the connection, the others nothing after RCPT. A
 * mail that is postponed goes again at its time, as the ledger does it, and holds no place
 * meanwhile.
 */
import type { Envelope, Lease, Provider } from '../../src/providers/provider.ts'
import { startTarpits } from './tarpit-hosts.ts'

/** Ordinary domains for each tarpit. */
const ordinaryForEach = 9
/**
 * Enough that the seconds in which no destination is known yet are a small part, as in a campaign.
 */
const mailsEach = 12
/** As many as a process holds. */
const concurrentMax = 640
const deferredMax = 500

export interface TarpitRun {
  /** Domains in all; a tenth are tarpits. */
  domains: number
  port: number
  lease: Lease
  envelopeTo(recipient: string): Envelope
  makeProvider(): Provider
}

const ordinaryOf = ({ domains }: TarpitRun): number =>
  domains - Math.ceil(domains / (ordinaryForEach + 1))

/** Mails a second to the ordinary domains. */
export async function rateOfOthers(
  options: TarpitRun,
  { beside }: { beside: boolean },
): Promise<number> {
  const tarpits = beside ? await startTarpits(options.port) : null
  const provider = options.makeProvider()
  try {
    const began = performance.now()
    await sendAll(provider, options, beside)
    return (ordinaryOf(options) * mailsEach) / ((performance.now() - began) / 1_000)
  } finally {
    await provider.close(0)
    await tarpits?.stop()
  }
}

/** In the order of a list: the domains are mixed. */
function recipients(ordinary: number, beside: boolean): string[] {
  const list: string[] = []
  for (let mail = 0; mail < mailsEach; mail++)
    for (let n = 0; n < ordinary; n++) {
      list.push(`${mail}@own${n}.test`)
      if (beside && n % ordinaryForEach === 0)
        list.push(`${mail}@${n % 2 === 0 ? 'mute' : 'stuck'}${n}.test`)
    }
  return list
}

function sendAll(provider: Provider, options: TarpitRun, beside: boolean): Promise<void> {
  const { lease, envelopeTo } = options
  const ordinary = ordinaryOf(options)
  const waiting = recipients(ordinary, beside).toReversed()
  let missing = ordinary * mailsEach
  let concurrent = 0
  let deferred = 0
  return new Promise((resolve, reject) => {
    /** Retries that are due go first. */
    const later = (recipient: string, afterMs: number): void => {
      const due = (): void => {
        waiting.push(recipient)
        fill()
      }
      setTimeout(due, afterMs).unref()
    }
    const sendOne = async (recipient: string): Promise<void> => {
      concurrent++
      const outcome = await provider.handOff({ ...envelopeTo(recipient), bulk: true }, lease)
      concurrent--
      const isOrdinary = recipient.includes('@own')
      if (outcome.kind === 'accepted') missing--
      else if (outcome.kind === 'postponed' || outcome.kind === 'returned')
        later(recipient, outcome.kind === 'postponed' ? outcome.afterMs : 0)
      else if (outcome.kind === 'deferred' && isOrdinary) {
        // A burst of questions loses some to the sockets' buffers: the ledger tries again too.
        if (++deferred > deferredMax) throw new Error(`${recipient}: ${JSON.stringify(outcome)}`)
        later(recipient, 500)
      } else if (isOrdinary) throw new Error(`${recipient}: ${JSON.stringify(outcome)}`)
    }
    const fill = (): void => {
      if (missing === 0) return resolve()
      const places = Math.min(concurrentMax - concurrent, waiting.length)
      for (let started = 0; started < places && provider.free() > 0; started++) {
        const recipient = waiting.pop()
        if (recipient !== undefined) sendOne(recipient).then(fill, reject)
      }
    }
    fill()
  })
}

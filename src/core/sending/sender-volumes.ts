/**
 * Counts mails by the organisation that sends them and the large receiver that gets them. A mail
 * costs one addition in memory; the sums are written some seconds later, and a crash may lose those
 * of these seconds.
 */
import { receiverOf, type Receiver } from '../../contract/compliance.ts'
import { addSenderVolumes } from '../../db/compliance/sender-volumes.ts'
import { organizationOf } from '../../ground/dns/organization.ts'
import type { Context } from '../context.ts'

const writeEveryMs = 10_000
/** Domains whose counts wait to be written; beyond it they are written at once. */
const waitingMax = 10_000

interface Count {
  fromDomain: string
  receiver: Receiver
  mails: number
}

export interface SenderVolumes {
  /** Counts a mail that left for a host outside. */
  count: NonNullable<Context['onDeparture']>
  /** Writes what waits. */
  flush(): Promise<void>
}

/** `countingDb`: of the global tables. */
export function createSenderVolumes({
  countingDb,
  clock,
  log,
}: Pick<Context, 'countingDb' | 'clock' | 'log'>): SenderVolumes {
  let waiting = new Map<string, Count>()
  let isPlanned = false

  const flush = async (): Promise<void> => {
    const counts = waiting
    if (counts.size === 0) return
    waiting = new Map()
    try {
      await addSenderVolumes(countingDb, await byOrganization([...counts.values()]))
    } catch (error) {
      log.warn(
        { err: error, domains: counts.size },
        'Mails were not counted towards the volume of their senders',
      )
    }
  }
  const flushLater = (): void => {
    if (isPlanned) return
    isPlanned = true
    void clock.sleep(writeEveryMs).then(() => {
      isPlanned = false
      return flush()
    })
  }
  return {
    flush,
    count({ fromDomain, destination }) {
      const receiver = receiverOf(destination)
      if (receiver === null) return
      const key = `${fromDomain} ${receiver}`
      const known = waiting.get(key)
      if (known) known.mails++
      else waiting.set(key, { fromDomain, receiver, mails: 1 })
      if (waiting.size >= waitingMax) void flush()
      else flushLater()
    },
  }
}

async function byOrganization(
  counts: Count[],
): Promise<{ organization: string; receiver: Receiver; mails: number }[]> {
  const sums = new Map<string, { organization: string; receiver: Receiver; mails: number }>()
  for (const { fromDomain, receiver, mails } of counts) {
    const organization = await organizationOf(fromDomain)
    const key = `${organization} ${receiver}`
    sums.set(key, { organization, receiver, mails: mails + (sums.get(key)?.mails ?? 0) })
  }
  return [...sums.values()]
}

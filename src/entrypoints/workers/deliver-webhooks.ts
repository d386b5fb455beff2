/**
 * One workspace's turn of its webhooks: claims due deliveries as far as hosts have slots, posts
 * them, and records the outcomes.
 */
import type { Service } from '../../core/context.ts'
import { attemptDelivery, callMs, type Attempt } from '../../core/webhooks/attempt-delivery.ts'
import { leaseSecondsOf } from '../../core/webhooks/delivery-rules.ts'
import { createRecordAttempt } from '../../core/webhooks/record-attempt.ts'
import { openWebhookSecrets } from '../../core/webhooks/webhook-secret.ts'
import { raiseWebhookDue } from '../../db/sending/due.ts'
import {
  claimDeliveries,
  webhooksDue,
  type ClaimedDelivery,
  type DueWebhook,
  type ScannedWebhook,
} from '../../db/webhooks/webhook-claims.ts'
import type { Turn } from './deliver-due.ts'
import { createHostSlots, type HostSlot, type HostSlots } from './host-slots.ts'
import { createWebhookScans, type WebhookScan } from './webhook-scans.ts'

/** Calls that end before the lane wakes for more, so that one statement claims all their slots. */
const freedMin = 128

/** The part of the time for stopping that calls may still take. */
const endShare = 0.6

export function createDeliverWebhooks(service: Service, slots = createHostSlots(service.clock)) {
  const giveUp = new AbortController()
  const record = createRecordAttempt(service)
  const calls = new Set<Promise<void>>()
  const scans = createWebhookScans(service.clock)
  let freed = 0

  const call = async (delivery: Delivery, wake: () => void): Promise<void> => {
    const attempt = await attemptWithinLease(service, delivery, giveUp.signal)
    // The slot of the host is free before the outcome is written.
    delivery.slot.end()
    if (++freed >= freedMin || slots.leased() === 0) {
      freed = 0
      wake()
    }
    await service.failpoints?.hit('webhook.before_record')
    await record(delivery.workspaceId, { ...delivery.claimed, ...attempt })
  }

  return {
    async turn(workspaceId: number, wake: () => void): Promise<Turn> {
      const here = scans.of(workspaceId)
      const scan = here.begin()
      const { due, passed } = await webhooksDue(service.db, workspaceId, scan.webhooks)
      const shares = share(due, slots, scan.webhooks)
      const max = shares.filter((webhookShare) => webhookShare.max > 0)
      const { claimed, passed: claimedTo } =
        max.length === 0
          ? { claimed: [], passed: [] }
          : await claimDeliveries(service.db, workspaceId, max, leaseSecondsOf(service.settings))
      here.end(scan, [...passed, ...claimedTo])
      await service.failpoints?.hit('webhook.after_claim')
      const targets = new Map(
        due.map((webhook) => [
          webhook.id,
          { ...webhook, secrets: openWebhookSecrets(service.secrets, workspaceId, webhook) },
        ]),
      )
      for (const delivery of claimed) {
        const target = targets.get(delivery.webhookId)
        if (!target) continue
        const { url, secrets, host } = target
        const running = call(
          {
            workspaceId,
            claimed: delivery,
            url,
            secrets,
            requestedAtMs: scan.requestedAtMs,
            slot: slots.take(host),
          },
          wake,
        )
          .catch((error: unknown) =>
            service.log.error(
              { err: error, workspaceId },
              'A webhook call was not recorded: it is called again',
            ),
          )
          .finally(() => calls.delete(running))
        calls.add(running)
      }
      return endTurn(service, workspaceId, { shares, claimed, slots, scan })
    },
    /**
     * Waits for the running calls, and gives up those that take too long: another worker, or the
     * next start, sends them again.
     */
    async end(withinMs: number): Promise<void> {
      slots.close()
      const timer = setTimeout(() => giveUp.abort(), withinMs * endShare)
      while (calls.size > 0) await Promise.all(calls)
      clearTimeout(timer)
    },
  }
}

interface Delivery {
  workspaceId: number
  claimed: ClaimedDelivery
  url: string
  secrets: string[]
  /** When its lease was requested, on the monotonic clock. */
  requestedAtMs: number
  slot: HostSlot
}

interface WebhookShare extends ScannedWebhook {
  host: string
  max: number
}

/** The free slots of each host, shared by the webhooks that go there. */
function share(
  due: DueWebhook[],
  slots: HostSlots,
  scanned: readonly ScannedWebhook[],
): WebhookShare[] {
  return due.map(({ id, host }, index) => {
    const sharing = due.filter((other) => other.host === host).length
    const before = due.slice(0, index).filter((other) => other.host === host).length
    const free = slots.free(host)
    const since = scanned.find(({ webhookId }) => webhookId === id)?.since ?? null
    return {
      webhookId: id,
      host,
      since,
      max: Math.floor(free / sharing) + (before < free % sharing ? 1 : 0),
    }
  })
}

/**
 * A process that was suspended for a while must not call with a lease that may belong to another
 * before the answer.
 */
async function attemptWithinLease(
  service: Service,
  delivery: Delivery,
  giveUp: AbortSignal,
): Promise<Attempt> {
  const { claimed, url, secrets, requestedAtMs, slot } = delivery
  const mayCall = await slot.begin()
  const leftMs =
    requestedAtMs + leaseSecondsOf(service.settings) * 1000 - service.clock.monotonicMs()
  if (!mayCall || leftMs < callMs)
    return { outcome: 'unmade', status: null, body: null, error: null, durationMs: 0, sent: null }
  await service.failpoints?.hit('webhook.before_call')
  const attempt = await attemptDelivery(service, { ...claimed, url, secrets, signal: giveUp })
  await service.failpoints?.hit('webhook.after_call')
  return attempt
}

/** How soon a workspace with slow receivers gets its next turn, in milliseconds. */
const slowMs = 200
/**
 * How long a workspace is without due deliveries before its due time is raised: each raise leaves a
 * row version.
 */
const idleMs = 1_000

/** Deliveries without a slot are still due: the end of a call wakes the lane for them. */
async function endTurn(
  service: Service,
  workspaceId: number,
  {
    shares,
    claimed,
    slots,
    scan,
  }: { shares: WebhookShare[]; claimed: ClaimedDelivery[]; slots: HostSlots; scan: WebhookScan },
): Promise<Turn> {
  const countOf = (id: string): number => claimed.filter(({ webhookId }) => webhookId === id).length
  const short = shares.filter(({ webhookId, max }) => countOf(webhookId) >= max)
  if (short.some(({ host }) => !slots.isSlow(host))) return 'full'
  if (short.length > 0) return { idleMs: slowMs }
  if (claimed.length > 0) return { idleMs }
  await raiseWebhookDue(service.db, workspaceId, {
    scanned: scan.webhooks,
    fullInSeconds: scan.fullInSeconds,
  })
  return 'later'
}

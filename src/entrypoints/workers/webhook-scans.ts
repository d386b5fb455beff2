/**
 * Remembers for each webhook up to when its deliveries were claimed, so that the next look begins
 * there and does not pass the index entries of earlier deliveries again
 * (docs/decisions/0052-a-held-horizon.md).
 */
import type { Clock } from '../../ground/clock.ts'
import type { ScannedWebhook, PassedWebhook } from '../../db/webhooks/webhook-claims.ts'
import { ScanMark } from '../../ground/scan-mark.ts'

/** A look for the due deliveries of a workspace. */
export interface WebhookScan {
  /** Where it begins; a webhook that is not named begins at its first delivery. */
  readonly webhooks: readonly ScannedWebhook[]
  /** When a look begins at the first delivery of each. Null if this one does. */
  readonly fullInSeconds: number | null
  readonly requestedAtMs: number
}

export function createWebhookScans(clock: Clock): { of(workspaceId: number): WebhookScans } {
  const known = new Map<number, WebhookScans>()
  return {
    of(workspaceId) {
      const scans = known.get(workspaceId) ?? new WebhookScans(clock)
      known.set(workspaceId, scans)
      return scans
    },
  }
}

class WebhookScans {
  readonly #clock: Clock
  /** Its time is that of the last look; the webhooks have times of their own. */
  readonly #mark: ScanMark
  readonly #passedTo = new Map<string, Date>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#mark = new ScanMark(clock)
  }

  begin(): WebhookScan {
    const requestedAtMs = this.#clock.monotonicMs()
    const isFull = this.#mark.from() === null
    if (isFull) this.#passedTo.clear()
    const webhooks = [...this.#passedTo].map(([webhookId, since]) => ({ webhookId, since }))
    return { webhooks, fullInSeconds: isFull ? null : this.#mark.fullInSeconds(), requestedAtMs }
  }

  end({ fullInSeconds, requestedAtMs }: WebhookScan, passed: readonly PassedWebhook[]): void {
    for (const { webhookId, to } of passed) this.#passedTo.set(webhookId, to)
    const [last] = passed
    if (last)
      this.#mark.passed(last.to, { from: fullInSeconds === null ? null : last.to, requestedAtMs })
  }
}

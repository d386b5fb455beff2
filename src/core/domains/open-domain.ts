/** Adds a domain to a workspace, with its keys and the records that its owner should set. */
import { insertDomain, lockDomain, scheduleCheck } from '../../db/domains/domains.ts'
import { domainKeysOf } from '../../db/domains/domain-keys.ts'
import type { Context } from '../context.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { storeKeyPair, makeKeyPair } from './make-keys.ts'
import { presentDomain, type PresentedDomain } from './present-domain.ts'

export interface OpeningDomain {
  /** As A-label. */
  name: string
  /** Subdomains of it; null is the default. */
  returnPathHost: string | null
  trackingHost: string | null
}

/** Checks begin after this time, so that the user who sets the records need not come back. */
const firstCheckSeconds = 120

/**
 * For an existing domain: adds keys if it has none, and returns its known records. Throws
 * `validation_error` beyond the limit.
 */
export async function openDomain(
  ctx: Pick<Context, 'db' | 'secrets' | 'settings' | 'wake'> & Omit<Actor, 'workspaceId'>,
  { workspaceId, name, returnPathHost, trackingHost }: { workspaceId: number } & OpeningDomain,
): Promise<PresentedDomain> {
  await ctx.db.transaction((tx) =>
    withinLimit(tx, workspaceId, 'domains', () =>
      insertDomain(tx, workspaceId, name, { returnPathHost, trackingHost }),
    ),
  )
  if ((await domainKeysOf(ctx.db, workspaceId, name)).length === 0) {
    const keys = await makeKeyPair()
    await ctx.db.transaction(async (tx) => {
      await lockDomain(tx, workspaceId, name)
      // Another call was faster.
      if ((await domainKeysOf(tx, workspaceId, name)).length > 0) return
      await storeKeyPair(tx, ctx.secrets, { workspaceId, domain: name, keys })
      await scheduleCheck(tx, workspaceId, { name, seconds: firstCheckSeconds, checked: false })
      await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'domain.added', subject: name })
    })
    ctx.wake('domain')
  }
  const shown = await presentDomain(ctx, { workspaceId, name })
  if (!shown) throw new Error('A domain that was just added is gone')
  return shown
}

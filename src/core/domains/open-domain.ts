/** Gives a workspace a domain: with its keys, and the records that its owner is to set. */
import { insertDomain, lockDomain, scheduleCheck } from '../../db/domains/domains.ts'
import { domainKeysOf } from '../../db/domains/domain-keys.ts'
import type { Context } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Actor } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { storeKeyPair, makeKeyPair } from './make-keys.ts'
import { presentDomain } from './present-domain.ts'
import type { PresentedDomain } from './present-domain.ts'

export interface OpeningDomain {
  /** As A-label. */
  name: string
  /** Subdomains of it; null is the usual one. */
  returnPathHost: string | null
  trackingHost: string | null
}

/** Records are looked for from then on: whoever sets them need not come back. */
const firstCheckSeconds = 120

/** Of one that is there already: keys where it has none, and what is known of its records. Throws `validation_error` without room. */
export async function openDomain(
  ctx: Pick<Context, 'db' | 'secrets' | 'settings' | 'wake'> & Omit<Actor, 'workspaceId'>,
  workspaceId: number,
  { name, returnPathHost, trackingHost }: OpeningDomain,
): Promise<PresentedDomain> {
  await ctx.db.transaction((tx) =>
    withinLimit(tx, workspaceId, 'domains', () => insertDomain(tx, workspaceId, name, { returnPathHost, trackingHost })),
  )
  if ((await domainKeysOf(ctx.db, workspaceId, name)).length === 0) {
    const keys = await makeKeyPair()
    await ctx.db.transaction(async (tx) => {
      await lockDomain(tx, workspaceId, name)
      // Another call was quicker.
      if ((await domainKeysOf(tx, workspaceId, name)).length > 0) return
      await storeKeyPair(tx, ctx.secrets, { workspaceId, domain: name, keys })
      await scheduleCheck(tx, workspaceId, { name, seconds: firstCheckSeconds, checked: false })
      await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'domain.added', subject: name })
    })
    ctx.wake('domain')
  }
  const shown = await presentDomain(ctx, workspaceId, name)
  if (!shown) throw new Error('A domain that was just added is gone')
  return shown
}

/**
 * POST /domains/{name}/rotate: makes the next pair of keys. It is listed at once and signs when it
 * is found in DNS; until then the present pair signs.
 */
import { existing } from '../../contract/errors.ts'
import { lockDomain, scheduleCheck } from '../../db/domains/domains.ts'
import { domainKeysOf } from '../../db/domains/domain-keys.ts'
import type { Context } from '../context.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import { storeKeyPair, makeKeyPair } from './make-keys.ts'
import { presentDomain, type PresentedDomain } from './present-domain.ts'
import { domainBody } from './domain-body.ts'
import { domainOfPath } from './read-domain-name.ts'
import type { Verb } from '../verb.ts'

export const rotateDomainKeys: Verb<'rotateDomainKeys'> = async (ctx, { params }) => {
  const rotated = existing(
    await rotateKeys(ctx, { workspaceId: ctx.workspaceId, name: domainOfPath(params.name) }),
  )
  return { body: domainBody(rotated.domain) }
}

const firstCheckSeconds = 120

/**
 * `underWay`: a pair already waits for its records, so no other is made. Returns null when the
 * workspace has no such domain.
 */
export async function rotateKeys(
  ctx: Pick<Context, 'db' | 'secrets' | 'settings' | 'wake'> & Omit<Actor, 'workspaceId'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<{ domain: PresentedDomain; underWay: boolean } | null> {
  const keys = await makeKeyPair()
  const underWay = await ctx.db.transaction(async (tx) => {
    if (!(await lockDomain(tx, workspaceId, name))) return null
    const [newest] = await domainKeysOf(tx, workspaceId, name)
    if (newest?.algorithm === 'rsa-sha256' && newest.state === 'waiting') return true
    await storeKeyPair(tx, ctx.secrets, { workspaceId, domain: name, keys })
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      { act: 'domain.keys_rotated', subject: name },
    )
    await scheduleCheck(tx, workspaceId, { name, seconds: firstCheckSeconds, checked: false })
    return false
  })
  if (underWay === null) return null
  ctx.wake('domain')
  const domain = await presentDomain(ctx, { workspaceId, name })
  return domain && { domain, underWay }
}

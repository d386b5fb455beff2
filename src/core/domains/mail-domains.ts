/** Caches the sending domains for some seconds: a campaign needs its domain once per recipient. */
import { createPrivateKey } from 'node:crypto'
import type { Database } from '../../database/client/database.ts'
import { sendingDomainOf, type SigningKey } from '../../db/domains/sending-domain.ts'
import type { DkimSigner } from '../../mail/signing/dkim.ts'
import type { Secrets } from '../../ground/secrets.ts'
import type { Context, ServiceSettings } from '../context.ts'
import type { Databases } from '../databases.ts'
import { keyPurpose } from './key-purpose.ts'
import type { MailDomain, MailDomains } from '../mail-domain.ts'
import { trackingBaseUrl } from '../tracking-base-url.ts'

/** After this time, every process signs with a replaced key, in milliseconds. */
const keptMs = 10_000
const keptMax = 10_000

interface Parts extends Pick<Context, 'secrets' | 'clock'> {
  /** Those at the time of a look-up. */
  databases: Pick<Databases<{ db: Database }>, 'home' | 'hasSeveral' | 'ofPaused'>
}

/** Links on a customer's host use the same scheme, port and path as the base URL. */
type Settings = Pick<ServiceSettings, 'baseUrl' | 'inboundDomain'>

export function createMailDomains(ctx: Parts, settings: Settings): MailDomains {
  const { clock } = ctx
  const cache = new Map<string, { domain: Promise<MailDomain>; untilMs: number }>()
  return {
    get(workspaceId, fromDomain) {
      const key = `${workspaceId} ${fromDomain}`
      const entry = cache.get(key)
      if (entry && entry.untilMs > clock.monotonicMs()) return entry.domain
      const domain = readMailDomain(ctx, settings, { workspaceId, name: fromDomain })
      if (cache.size === keptMax) cache.clear()
      cache.set(key, { domain, untilMs: clock.monotonicMs() + keptMs })
      // A failure is not cached, so the next call asks again.
      domain.catch(() => cache.delete(key))
      return domain
    },
  }
}

async function readMailDomain(
  { databases, secrets }: Parts,
  { baseUrl, inboundDomain }: Settings,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<MailDomain> {
  const { home, hasSeveral } = databases
  const { db } = hasSeveral ? await databases.ofPaused(workspaceId) : home
  const { keys, returnPath, tracking } = await sendingDomainOf(db, workspaceId, name)
  return {
    name,
    signers: keys.map((key) => toSigner(secrets, { workspaceId, domain: name }, key)),
    returnPathHost: returnPath ?? inboundDomain,
    trackingBaseUrl: tracking === null ? null : trackingBaseUrl(baseUrl, tracking),
  }
}

function toSigner(
  secrets: Secrets,
  of: { workspaceId: number; domain: string },
  key: SigningKey,
): DkimSigner {
  const { selector, algorithm } = key
  const pkcs8 = secrets.open(Buffer.from(key.sealed, 'base64'), keyPurpose({ ...of, selector }))
  return {
    ...{ algorithm, domain: of.domain, selector },
    key: createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' }),
  }
}

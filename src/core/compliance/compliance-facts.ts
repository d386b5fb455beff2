/**
 * Gathers what the evaluation of a domain's compliance needs: its records in DNS, how its mail
 * leaves, and what Gmail publishes.
 */
import { BlockList } from 'node:net'
import { gmailDaysCounted } from '../../contract/thresholds.ts'
import type { DomainKeyRow } from '../../db/domains/domain-keys.ts'
import { senderVolumes, type SenderVolume } from '../../db/compliance/sender-volumes.ts'
import { postmasterDays, type PostmasterDay } from '../../db/postmaster/postmaster-domains.ts'
import { workspaceProvider } from '../../db/workspaces/workspace-providers.ts'
import { findDmarc, isAligned, type Dmarc } from '../../ground/dns/dmarc.ts'
import type { Resolve } from '../../ground/dns/lookup.ts'
import { organizationOf } from '../../ground/dns/organization.ts'
import { findReverseName, type ReverseName } from '../../ground/dns/reverse-name.ts'
import { mayDial } from '../../ground/outbound/check-address.ts'
import { deliveryWayOf, type DeliveryWay } from '../../providers/registry.ts'
import { readStored } from '../../providers/stored-provider.ts'
import type { CheckedRecord } from '../domain-records/checked-record.ts'
import { dmarcReportAddress, type ExpectedRecord } from '../domain-records/expected-records.ts'
import type { Context } from '../context.ts'

export interface ComplianceFacts {
  domain: string
  way: DeliveryWay
  /** The RSA key that signs, or will from this check on. Null if none does. */
  dkim: QueriedDomain | null
  /** Null if the addresses that our mail leaves from are not known. */
  spf: QueriedDomain | null
  dmarc: Dmarc
  /** Whether the host of SPF speaks for the domain. Null if DNS did not say. */
  spfAligned: boolean | null
  /** Whether a host takes mail for the domain. Null if DNS did not say. */
  takesMail: boolean | null
  baseUrl: { url: string; host: string; addresses: 'none' | 'private' | 'public'; isHttps: boolean }
  /** Of the addresses that our own delivery connects from. */
  sources: { address: string; name: ReverseName }[]
  gmailDays: PostmasterDay[]
  volumes: SenderVolume[]
  /** Our address that takes DMARC reports. Null if no such mail comes here. */
  reportAddress: string | null
}

export interface QueriedDomain {
  record: Pick<ExpectedRecord, 'name' | 'type' | 'value'>
  checked: Pick<CheckedRecord, 'status' | 'expected'>
}

export type GatheringFacts = Pick<Context, 'db' | 'settings'> & {
  outbound: Pick<Context['outbound'], 'addressesOf'>
}

/**
 * `resolve`: with our cache or without. `records`: those of the domain that were just looked up.
 * Who has not proven a domain learns nothing of the mail that it sends from elsewhere.
 */
export async function gatherFacts(
  ctx: GatheringFacts,
  {
    workspaceId,
    domain,
    isProven,
    records,
    resolve,
  }: {
    workspaceId: number
    domain: string
    isProven: boolean
    records: QueriedRecord[]
    resolve: Resolve
  },
): Promise<ComplianceFacts> {
  const { db, settings } = ctx
  const spf = records.find(({ record }) => record.purpose === 'spf') ?? null
  const [way, dmarc, takesMail, baseUrl, gmailDays, volumes] = await Promise.all([
    wayOf(ctx, workspaceId),
    findDmarc({ resolve }, domain),
    findMailHost(resolve, domain),
    queryBaseUrl(ctx),
    postmasterDays(db, workspaceId, { domain, days: gmailDaysCounted + 1 }),
    isProven ? organizationOf(domain).then((organization) => senderVolumes(db, organization)) : [],
  ])
  const sources = way === 'direct' ? settings.sourceAddresses : []
  return {
    ...{ domain, way, dmarc, takesMail, baseUrl, gmailDays, volumes, spf },
    dkim: signingKeyOf(records),
    spfAligned:
      spf === null ? false : await isSpfAligned(resolve, { domain, host: spf.record.name, dmarc }),
    sources: await Promise.all(
      sources.map(async (address) => ({
        address,
        name: await findReverseName({ resolve }, address),
      })),
    ),
    reportAddress: dmarcReportAddress(settings.inboundDomain),
  }
}

/** By the workspace's own provider, else by the deployment's. */
export async function wayOf(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  workspaceId: number,
): Promise<DeliveryWay> {
  const own = await workspaceProvider(db, workspaceId)
  return own?.choice ? deliveryWayOf(readStored(own.choice).type) : settings.way
}

export interface QueriedRecord {
  record: ExpectedRecord
  checked: CheckedRecord
}

/** Every receiver knows RSA. */
export const isSigningKey = (record: ExpectedRecord): boolean => isRsaKey(record, 'signing')

const isRsaKey = (record: ExpectedRecord, state: DomainKeyRow['state']): boolean =>
  record.purpose === 'dkim' && record.key.algorithm === 'rsa-sha256' && record.key.state === state

/** A waiting key signs from the check on that finds its record, so this check counts it. */
function signingKeyOf(records: QueriedRecord[]): QueriedRecord | null {
  const signing = records.filter(({ record }) => isSigningKey(record))
  const begins = records.filter(
    ({ record, checked }) => isRsaKey(record, 'waiting') && checked.status === 'found',
  )
  return (
    [...signing, ...begins].find(({ checked }) => checked.status === 'found') ?? signing[0] ?? null
  )
}

function isSpfAligned(
  resolve: Resolve,
  { domain, host, dmarc }: { domain: string; host: string; dmarc: Dmarc },
): Promise<boolean | null> {
  // Without a policy of its own, a subdomain is aligned: relaxed is the default (RFC 9989 4.4.2).
  const { spf: mode, organizational } =
    dmarc.kind === 'found' ? dmarc : { spf: 'relaxed' as const, organizational: domain }
  if (dmarc.kind !== 'found' && host.endsWith(`.${domain}`)) return Promise.resolve(true)
  return isAligned({ resolve }, { identifier: host, domain, mode, organizational })
}

/**
 * RFC 5321 5.1: the MX records, else the addresses of the name; a null MX takes none (RFC 7505).
 */
async function findMailHost(resolve: Resolve, domain: string): Promise<boolean | null> {
  const mx = await resolve(domain, 'MX')
  if (mx.kind === 'failed') return null
  if (mx.kind === 'found') return mx.records.some(({ exchange }) => exchange !== '.')
  const lookups = await Promise.all([resolve(domain, 'A'), resolve(domain, 'AAAA')])
  if (lookups.some(({ kind }) => kind === 'found')) return true
  return lookups.some(({ kind }) => kind === 'failed') ? null : false
}

const nothing = new BlockList()

async function queryBaseUrl({
  settings,
  outbound,
}: GatheringFacts): Promise<ComplianceFacts['baseUrl']> {
  const { hostname, protocol } = new URL(settings.baseUrl)
  const result = await outbound.addressesOf(hostname)
  const isPublic = result.every((address) => mayDial(address, nothing))
  return {
    ...{ url: settings.baseUrl, host: hostname, isHttps: protocol === 'https:' },
    addresses: result.length === 0 ? 'none' : isPublic ? 'public' : 'private',
  }
}

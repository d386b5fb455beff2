/**
 * Looks up a domain's records, and applies the result.
 *
 * 1. query DNS for every record, bypassing our cache
 * 2. a found key signs, and the previous one retires; mail uses the hosts that were found
 * 3. the RSA key's record verifies the domain
 * 4. which requirements of receivers the domain meets is stored, with the time of each change
 * 5. a record that is missing now is given up only after `missesMin` checks over
 *    `missedSecondsMin`. Timeouts and failures of DNS do not count, so an outage of DNS stops no
 *    mail
 */
import {
  domainAge,
  domainsOf,
  lockDomain,
  proveDomain,
  scheduleCheck,
  unproveDomain,
} from '../../db/domains/domains.ts'
import {
  beginSigning,
  domainKeysOf,
  retireKeys,
  stopSigning,
} from '../../db/domains/domain-keys.ts'
import {
  domainRecordsOf,
  storeSeenRecords,
  type DomainRecordRow,
  type SeenRecord,
} from '../../db/domains/domain-records.ts'
import { storeCompliance } from '../../db/compliance/domain-compliance.ts'
import type { Database } from '../../database/client/database.ts'
import type { Context } from '../context.ts'
import { gatherFacts } from '../compliance/compliance-facts.ts'
import { evaluateCompliance } from '../compliance/evaluate-compliance.ts'
import { notifyWorkspace } from '../notices/notify-workspace.ts'
import { answersAsUs } from './answers-as-us.ts'
import { expectedRecords, type ExpectedRecord } from '../domain-records/expected-records.ts'
import { checkRecord } from '../domain-records/check-record.ts'
import type { CheckedRecord } from '../domain-records/checked-record.ts'
import { lostRecordsTexts } from './lost-records-texts.ts'
import { secondsToNextCheck } from './next-check.ts'
import { presentDomain, type PresentedDomain } from './present-domain.ts'

const missesMin = 4
const missedSecondsMin = 86_400
/**
 * Signed mail may wait in queues for some five days (RFC 5321 4.5.4.1), and be verified again
 * later.
 */
export const retireSeconds = 7 * 86_400

export type Checking = Pick<
  Context,
  'db' | 'resolver' | 'outbound' | 'makeId' | 'settings' | 'log' | 'wake'
>

/** Returns null when the workspace has no such domain. */
export async function lookUpDomain(
  ctx: Checking,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<PresentedDomain | null> {
  const domain = (await domainsOf(ctx.db, workspaceId)).find((row) => row.name === name)
  if (!domain) return null
  const keys = await domainKeysOf(ctx.db, workspaceId, name)
  const records = expectedRecords(domain, keys, ctx.settings)
  const checking = {
    resolve: ctx.resolver.resolveFresh,
    answers: (url: string) => answersAsUs(ctx.outbound, url),
    baseUrl: ctx.settings.baseUrl,
    inboundDomain: ctx.settings.inboundDomain,
  }
  const results = await Promise.all(
    records.map(async (record) => ({ record, checked: await checkRecord(checking, record) })),
  )
  const facts = await gatherFacts(ctx, {
    ...{ workspaceId, domain: name, records: results, resolve: ctx.resolver.resolveFresh },
    isProven: domain.status === 'verified' || results.some(isProof),
  })
  const announced = await ctx.db.transaction(async (tx) => {
    const settled = await complete(ctx, tx, { workspaceId, name, results })
    if (settled !== null) await storeCompliance(tx, workspaceId, name, evaluateCompliance(facts))
    return settled ?? false
  })
  if (announced) ctx.wake('transactional')
  return presentDomain(ctx, { workspaceId, name })
}

interface Checked {
  record: ExpectedRecord
  checked: CheckedRecord
}

/**
 * Returns true when a notice to the workspace was written; null when the domain is gone meanwhile.
 */
async function complete(
  ctx: Checking,
  tx: Database,
  { workspaceId, name, results }: { workspaceId: number; name: string; results: Checked[] },
): Promise<boolean | null> {
  const domain = await lockDomain(tx, workspaceId, name)
  if (!domain) return null
  const before = await domainRecordsOf(tx, workspaceId, name)
  const changes = results.map(({ record, checked }) => {
    const last = before.find((row) => row.name === record.name && row.type === record.type)
    return { record, checked, last, lost: isLost(checked, last) }
  })
  const proved = changes.some(isProof)
  const newlyLost = changes.filter(({ last, lost }) => lost && last?.inUse && !last.announced)
  if (newlyLost.length > 0) {
    const stops =
      domain.verifiedBy === 'dns' && !proved && newlyLost.some(({ record }) => record.required)
    // Written before the domain loses its verification: the notice itself leaves from it.
    await notifyWorkspace(ctx, tx, {
      workspaceId,
      cause: `domain ${name}: records lost`,
      texts: lostRecordsTexts({
        domain: name,
        records: newlyLost.map(({ record }) => record),
        stops,
      }),
    })
    if (stops) await unproveDomain(tx, workspaceId, name)
  }
  for (const { record, checked, lost } of changes)
    await moveKey(tx, workspaceId, {
      domain: name,
      record,
      found: checked.status === 'found',
      lost,
    })
  await retireKeys(tx, workspaceId, name)
  if (proved && domain.status !== 'verified') await proveDomain(tx, workspaceId, name)
  await storeSeenRecords(
    tx,
    workspaceId,
    name,
    changes.map((change) => toSeen(change)),
  )
  const seconds = secondsToNextCheck({
    ageSeconds: await domainAge(tx, workspaceId, name),
    isVerified: proved || domain.status === 'verified',
    statuses: results.map(({ checked }) => checked.status),
    isMissing: changes.some(
      ({ last, checked }) => last?.inUse === true && checked.status !== 'found',
    ),
  })
  await scheduleCheck(tx, workspaceId, { name, seconds, checked: true })
  return newlyLost.length > 0
}

const isProof = ({ record, checked }: Checked): boolean =>
  record.required && checked.status === 'found'

const isMissed = ({ status }: CheckedRecord): boolean => status === 'wrong' || status === 'missing'

/** Includes the present check. */
const isLost = (checked: CheckedRecord, last: DomainRecordRow | undefined): boolean =>
  isMissed(checked) &&
  last !== undefined &&
  last.misses + 1 >= missesMin &&
  (last.missedSeconds ?? 0) >= missedSecondsMin

async function moveKey(
  tx: Database,
  workspaceId: number,
  {
    domain,
    record,
    found: result,
    lost,
  }: { domain: string; record: ExpectedRecord; found: boolean; lost: boolean },
): Promise<void> {
  if (record.purpose !== 'dkim') return
  const { selector, state } = record.key
  if (result && state === 'waiting')
    await beginSigning(tx, workspaceId, { domain, selector, retireSeconds })
  if (lost && state === 'signing') await stopSigning(tx, workspaceId, domain, selector)
}

function toSeen({
  record,
  checked,
  last,
  lost,
}: Checked & { last: DomainRecordRow | undefined; lost: boolean }): SeenRecord {
  const { name, type, purpose } = record
  const { status, found: result, problem, expected } = checked
  const wasInUse = last?.inUse ?? false
  return {
    ...{ name, type, purpose, status, found: result, problem, expected },
    inUse: status === 'found' || (wasInUse && !lost),
    announced: status !== 'found' && ((last?.announced ?? false) || (lost && wasInUse)),
  }
}

/**
 * Checks that the DNS records of every domain are still right, as "domain verify" would, and writes
 * nothing.
 */
import {
  expectedRecords,
  type ExpectedRecord,
} from '../../../../core/domain-records/expected-records.ts'
import { checkRecord } from '../../../../core/domain-records/check-record.ts'
import type { CheckedRecord } from '../../../../core/domain-records/checked-record.ts'
import { answersAsUs } from '../../../../core/domains/answers-as-us.ts'
import { eachWorkspace } from '../../../../core/each-workspace.ts'
import type { Connection } from '../../../../database/client/connect.ts'
import { domainsOf, type DomainRow } from '../../../../db/domains/domains.ts'
import { domainKeysOf } from '../../../../db/domains/domain-keys.ts'
import { passed, failed, warned, type Check, type EachCell } from '../check.ts'
import type { DeliveryParts } from './dial-host.ts'

/** Largest number of checked domains; an operator with more checks one by "domain verify". */
const domainsMax = 200

export async function checkDomainRecords(
  { surroundings, config, resolver, outbound }: DeliveryParts,
  db: Connection,
  eachCell: EachCell,
): Promise<Check[]> {
  const settings = await surroundings.settingsOf(config, db)
  const checking = {
    resolve: resolver.resolve,
    answers: (url: string) => answersAsUs(outbound, url),
    baseUrl: settings.baseUrl,
    inboundDomain: settings.inboundDomain,
  }
  const checks: Check[] = []
  await eachCell(async (there, cell) => {
    for await (const workspaces of eachWorkspace({ db: there, databaseId: cell.id })) {
      for (const { id, slug } of workspaces) {
        for (const domain of await domainsOf(there, id)) {
          if (checks.length >= domainsMax) return
          const expected = expectedRecords(
            domain,
            await domainKeysOf(there, id, domain.name),
            settings,
          )
          const checked = await Promise.all(
            expected.map(async (record) => ({
              record,
              result: await checkRecord(checking, record),
            })),
          )
          checks.push(check(domain, slug, checked))
        }
      }
    }
  })
  return checks.length > 0 ? checks : [passed('domains', 'there is none yet')]
}

function check(
  domain: DomainRow,
  slug: string,
  checked: { record: ExpectedRecord; result: CheckedRecord }[],
): Check {
  const name = `domain ${domain.name}`
  const next = `facteur domain verify --workspace ${slug} ${domain.name}`
  const wrong = checked.filter(({ result }) => result.status !== 'found')
  if (wrong.length === 0) return passed(name, `${domain.status}; all of its DNS records are found`)
  const list = wrong
    .map(({ record, result }) => `${record.type} ${record.name} ${result.status}`)
    .join(', ')
  const message = `${domain.status}; ${list}`
  const fails = wrong.some(
    ({ record, result }) =>
      record.required && (result.status === 'missing' || result.status === 'wrong'),
  )
  return fails && domain.verifiedBy === 'dns'
    ? failed(name, message, next)
    : warned(name, message, next)
}

/**
 * Reads the answers of the Postmaster Tools API: what does not have the expected shape is left out.
 */
import { readDomain } from '../../ground/domain-name.ts'
import type { PostmasterDay } from '../../db/postmaster/postmaster-domains.ts'
import { jsonFields, jsonList, textOf } from '../../ground/read-json.ts'

/** Names of the domains that the account may read, as A-labels. */
export function readDomains(json: unknown): string[] {
  return jsonList(jsonFields(json)['domains']).flatMap((entry) => {
    const { name, permission } = jsonFields(entry)
    const domain = readDomain((textOf(name) ?? '').replace(/^domains\//, ''))
    return permission !== 'NONE' && typeof domain === 'string' ? [domain] : []
  })
}

/** The lines of one metric; Google publishes none for a day with little mail. */
export function readSpamRates(json: unknown, metric: string): PostmasterDay[] {
  return jsonList(jsonFields(json)['domainStats']).flatMap((entry) => {
    const stat = jsonFields(entry)
    const day = readDay(stat['date'])
    const value = jsonFields(stat['value'])
    const spamRate = value['doubleValue'] ?? value['floatValue']
    const isRate = typeof spamRate === 'number' && spamRate >= 0 && spamRate <= 1
    return stat['metric'] === metric && day !== null && isRate ? [{ day, spamRate }] : []
  })
}

function readDay(json: unknown): string | null {
  const { year, month, day } = jsonFields(json)
  const isDate =
    [year, month, day].every(Number.isInteger) && Number(year) >= 2000 && Number(year) <= 9999
  const at = isDate ? new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))) : null
  // A day that its month does not have would be another one.
  return at !== null && at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
    ? at.toISOString().slice(0, 10)
    : null
}

/** Requirements in Google's words, such as `USER_REPORTED_SPAM_RATE`. */
export interface GmailCompliance {
  needsWork: string[]
  compliant: string[]
}

/** Google has eleven requirements. */
const requirementsMax = 40

/** What it says of the subdomain itself comes before what it says of the domain above. */
export function readCompliance(json: unknown): GmailCompliance {
  const { complianceData, subdomainComplianceData } = jsonFields(json)
  const own = jsonFields(subdomainComplianceData)
  const data = jsonList(own['rowData']).length > 0 ? own : jsonFields(complianceData)
  const rows = jsonList(data['rowData']).flatMap((entry) => {
    const { requirement, status } = jsonFields(entry)
    return [{ requirement: textOf(requirement), status: jsonFields(status)['status'] }]
  })
  const verdict = (name: string, requirement: string) => ({
    requirement,
    status: jsonFields(jsonFields(data[name])['status'])['status'],
  })
  rows.push(
    verdict('oneClickUnsubscribeVerdict', 'ONE_CLICK_UNSUBSCRIBE'),
    verdict('honorUnsubscribeVerdict', 'HONOR_UNSUBSCRIBE'),
  )
  const named = (metric: string): string[] => [
    ...new Set(
      rows.flatMap(({ requirement, status }) =>
        status === metric && requirement !== null && /^[A-Z_]{1,60}$/.test(requirement)
          ? [requirement]
          : [],
      ),
    ),
  ]
  return {
    needsWork: named('NEEDS_WORK').slice(0, requirementsMax),
    compliant: named('COMPLIANT').slice(0, requirementsMax),
  }
}

/**
 * Checks a domain's records on request, and by itself while its page is open and a record is
 * missing.
 */
import { useEffect } from 'react'
import type { Domain } from '../../../../src/contract/workspace/domains.ts'
import { useAct } from '../../api/use-ask.ts'

/**
 * The owner of a domain waits beside the page for its records, but not for longer than `givesUpMs`.
 */
const everyMs = 15_000
const givesUpMs = 20 * 60_000

export const isComplete = ({ status, records }: Domain): boolean =>
  status === 'verified' && records.every((record) => record.status === 'found')

interface DnsQuery {
  query: () => void
  isQuerying: boolean
  error: Error | null
}

export function useDnsQuery(domain: Domain, mayQuery: boolean): DnsQuery {
  const { name } = domain
  const check = useAct('checkDomain', {
    refresh: ['getDomain', 'getDomainCompliance', 'listDomains', 'listSenders', 'getAccount'],
  })
  const { mutate } = check
  const waits = mayQuery && !isComplete(domain)
  useEffect(() => {
    if (!waits) return undefined
    const began = Date.now()
    const timer = setInterval(() => {
      if (Date.now() - began > givesUpMs) clearInterval(timer)
      else if (document.visibilityState === 'visible') mutate({ params: { name } })
    }, everyMs)
    return () => clearInterval(timer)
  }, [waits, name, mutate])
  return {
    query: () => mutate({ params: { name } }),
    isQuerying: check.isPending,
    error: check.error,
  }
}

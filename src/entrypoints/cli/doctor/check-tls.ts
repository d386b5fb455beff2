/** Checks how encryption went with mail hosts yesterday and today, by the words of RFC 8460. */
import type { Database } from '../../../database/client/database.ts'
import { tlsFailures, type TlsResultRow } from '../../../db/sending/tls-results.ts'
import { passed, warned, type Check } from './check.ts'

/** Domains that are named; the others are counted. */
const namedMax = 5
const readMax = 1_000

export async function checkTls(db: Database): Promise<Check> {
  const failures = await tlsFailures(db, readMax)
  if (failures.length === 0)
    return passed('tls', 'no session with a mail host failed in its encryption since yesterday')
  const more = failures.length - namedMax
  return warned(
    'tls',
    failures.slice(0, namedMax).map(describe).join('; ') + (more > 0 ? `; and ${more} more` : ''),
    'Mail waits where MTA-STS is enforced or DANE names a certificate, until the domain mends it; write to its postmaster from elsewhere. ' +
      'Without a policy it went in clear. If many domains fail, look at this machine’s clock, authorities and name server.',
  )
}

const describe = ({ domain, policy, result, sessions }: TlsResultRow): string =>
  `${domain === '' ? 'many domains' : domain}: ${result} in ${sessions} session${sessions === 1 ? '' : 's'} (${policies[policy] ?? policy})`

const policies: Record<string, string> = {
  sts: 'MTA-STS',
  tlsa: 'DANE',
  'no-policy-found': 'no policy',
}

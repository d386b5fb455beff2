/**
 * Lists the programmes by which receivers report on the mail of a domain, each with the values that
 * its form asks for.
 */
import {
  enrolmentPages,
  enrolmentPrograms,
  receiverOf,
  type EnrolmentProgram,
} from '../../contract/compliance.ts'
import type { Enrolment } from '../../contract/workspace/compliance.ts'
import { firstReports } from '../../db/compliance/first-reports.ts'
import { domainKeysOf } from '../../db/domains/domain-keys.ts'
import { reportAddresses } from '../../mail/reports/report-addresses.ts'
import type { DeliveryWay } from '../../providers/registry.ts'
import type { Context } from '../context.ts'
import { wayOf } from './compliance-facts.ts'

type Parts = Pick<Context, 'db' | 'settings'>

export async function enrolmentsOf(
  ctx: Parts,
  { workspaceId, domain }: { workspaceId: number; domain: string },
): Promise<Enrolment[]> {
  const [way, keys, first] = await Promise.all([
    wayOf(ctx, workspaceId),
    domainKeysOf(ctx.db, workspaceId, domain),
    firstReports(ctx.db, workspaceId, domain),
  ])
  const selectors = keys.filter(({ state }) => state === 'signing').map(({ selector }) => selector)
  return enrolmentPrograms.map((program) => ({
    program,
    url: enrolmentPages[program],
    applies: appliesTo(program, way),
    values: valuesOf(program, { domain, selectors, settings: ctx.settings }),
    first_report_at:
      first.find(({ reporter }) => programOf(reporter) === program)?.at.toISOString() ?? null,
  }))
}

/** Yahoo reports for AOL too, and Microsoft as Hotmail. */
function programOf(reporter: string | null): EnrolmentProgram | null {
  if (reporter === null) return 'google_postmaster'
  if (reporter === 'signal-spam.fr') return 'signal_spam'
  const receiver = receiverOf(reporter)
  if (receiver === 'yahoo' || reporter === 'yahooinc.com') return 'yahoo_cfl'
  return receiver === 'microsoft' || reporter === 'microsoft.com' ? 'microsoft_jmrp' : null
}

/** Microsoft knows senders by the IP addresses that connect to it, and asks their operator. */
const appliesTo = (program: EnrolmentProgram, way: DeliveryWay): boolean =>
  program === 'microsoft_jmrp' || program === 'microsoft_snds'
    ? way === 'direct'
    : way !== 'captures'

function valuesOf(
  program: EnrolmentProgram,
  {
    domain,
    selectors,
    settings,
  }: { domain: string; selectors: string[] } & Pick<Context, 'settings'>,
): Enrolment['values'] {
  const { inboundDomain, sourceAddresses, postmasterAddress } = settings
  const orNull = (texts: readonly string[]): string | null =>
    texts.length > 0 ? texts.join(', ') : null
  const values = {
    domain: { field: 'domain', value: domain },
    selector: { field: 'selector', value: orNull(selectors) },
    address: {
      field: 'address',
      value: inboundDomain === null ? null : `${reportAddresses.fbl}@${inboundDomain}`,
    },
    addresses: { field: 'addresses', value: orNull(sourceAddresses) },
    account: { field: 'account', value: postmasterAddress },
  } as const
  switch (program) {
    case 'yahoo_cfl':
      return [values.domain, values.selector, values.address]
    case 'microsoft_jmrp':
      return [values.addresses, values.address]
    case 'microsoft_snds':
      return [values.addresses]
    case 'google_postmaster':
      return [values.domain, values.account]
    case 'signal_spam':
      return [values.domain, values.address]
    default:
      return program satisfies never
  }
}

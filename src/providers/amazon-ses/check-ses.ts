/**
 * Checks that mail can leave by Amazon SES: whether the account may send, how fast, and how much is
 * left of the day.
 */
import { shownNumber } from '../../ground/shown-values.ts'
import { jsonFields, textOf } from '../../ground/read-json.ts'
import { callAws } from './call-aws.ts'
import { whyOf } from './queue.ts'
import { sesEndpoint, type SesSettings } from './ses-settings.ts'
import { failed, passed, warned, type Check, type CheckParts } from '../provider-check.ts'

type SesParts = Pick<CheckParts, 'clock' | 'outbound' | 'signal' | 'ratePerSecond' | 'rateSetting'>

export async function checkSes(settings: SesSettings, parts: SesParts): Promise<Check> {
  const account = await readAccount(settings, parts)
  const location = `Amazon SES in ${settings.region}`
  if ('failed' in account) {
    const next =
      account.status === 403
        ? 'Check the access key, and that its policy allows ses:GetAccount and ses:SendEmail.'
        : `Check the region, the endpoint (${sesEndpoint(settings)}) and the network.`
    return failed('provider', `${location}: ${account.failed}`, next)
  }
  return check(location, account, parts)
}

/** SES v2 API: GetAccount. */
async function readAccount(settings: SesSettings, parts: SesParts) {
  const url = new URL('/v2/email/account', sesEndpoint(settings))
  const answer = await callAws(parts, settings, {
    ...{
      method: 'GET',
      service: 'ses',
      url,
      headers: {},
      body: '',
      signal: parts.signal,
      withinMs: 15_000,
    },
  })
  if (answer.kind === 'failed' || answer.status !== 200)
    return { failed: whyOf(answer), status: answer.kind === 'failed' ? null : answer.status }
  const account = jsonFields(answer.json)
  const quota = jsonFields(account.SendQuota)
  return {
    sendingEnabled: account.SendingEnabled === true,
    /** False means in the sandbox, where recipients have to be verified too. */
    productionAccess: account.ProductionAccessEnabled === true,
    enforcement: textOf(account.EnforcementStatus),
    maxPerSecond: numberOf(quota.MaxSendRate),
    sentLast24Hours: numberOf(quota.SentLast24Hours),
    maxPer24Hours: numberOf(quota.Max24HourSend),
  }
}

/** Null if the answer has none; -1 means no limit. */
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 ? value : null

type SesAccount = Exclude<Awaited<ReturnType<typeof readAccount>>, { failed: string }>

function check(
  location: string,
  account: SesAccount,
  { ratePerSecond, rateSetting }: SesParts,
): Check {
  const { maxPerSecond, maxPer24Hours, sentLast24Hours } = account
  if (!account.sendingEnabled)
    return failed(
      'provider',
      `${location} does not let this account send (${account.enforcement ?? 'paused'})`,
      'See the SES console.',
    )
  const left =
    maxPer24Hours === null || sentLast24Hours === null
      ? null
      : Math.max(0, maxPer24Hours - sentLast24Hours)
  const about = [
    `${location} answers`,
    maxPerSecond !== null && `takes ${maxPerSecond} a second`,
    left !== null &&
      `${shownNumber(Math.floor(left))} of ${shownNumber(maxPer24Hours ?? 0)} left in 24 hours`,
  ]
  const matches = about.filter((part) => part !== false).join(', ')
  if (!account.productionAccess)
    return warned(
      'provider',
      `${matches}; in the sandbox: only to verified recipients`,
      'Ask AWS for production access.',
    )
  if (left !== null && left < 1)
    return warned('provider', `${matches}: mail waits`, 'Ask AWS for a larger quota, or wait.')
  if (maxPerSecond !== null && (ratePerSecond === null || ratePerSecond > maxPerSecond))
    return warned(
      'provider',
      `${matches}; more would be asked of it`,
      `Set ${rateSetting}${maxPerSecond}, so that nothing is refused and tried again.`,
    )
  return passed('provider', matches)
}

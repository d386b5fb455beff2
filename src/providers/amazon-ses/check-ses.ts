/** Checks that mail can leave by Amazon SES: whether the account may send, how fast, and how much is left of the day. */
import { readAccount, type SesAccount } from './account.ts'
import { sesEndpoint, type SesSettings } from './ses-settings.ts'
import { numberCell } from '../../cells.ts'
import { failed, passed, warned, type Check, type CheckParts } from '../provider-check.ts'

type SesParts = Pick<CheckParts, 'clock' | 'outbound' | 'signal' | 'ratePerSecond' | 'rateSetting'>

export async function checkSes(settings: SesSettings, parts: SesParts): Promise<Check> {
  const account = await readAccount(parts, settings, parts.signal)
  const place = `Amazon SES in ${settings.region}`
  if ('failed' in account) {
    const next =
      account.status === 403
        ? 'Check the access key, and that its policy allows ses:GetAccount and ses:SendEmail.'
        : `Check the region, the endpoint (${sesEndpoint(settings)}) and the network.`
    return failed('provider', `${place}: ${account.failed}`, next)
  }
  return check(place, account, parts)
}

function check(place: string, account: SesAccount, { ratePerSecond, rateSetting }: SesParts): Check {
  const { maxPerSecond, maxPer24Hours, sentLast24Hours } = account
  if (!account.sendingEnabled)
    return failed(
      'provider',
      `${place} does not let this account send (${account.enforcement ?? 'paused'})`,
      'See the SES console.',
    )
  const left = maxPer24Hours === null || sentLast24Hours === null ? null : Math.max(0, maxPer24Hours - sentLast24Hours)
  const about = [
    `${place} answers`,
    maxPerSecond !== null && `takes ${maxPerSecond} a second`,
    left !== null && `${numberCell(Math.floor(left))} of ${numberCell(maxPer24Hours ?? 0)} left in 24 hours`,
  ]
  const found = about.filter((part) => part !== false).join(', ')
  if (!account.productionAccess)
    return warned('provider', `${found}; in the sandbox: only to verified recipients`, 'Ask AWS for production access.')
  if (left !== null && left < 1) return warned('provider', `${found}: mail waits`, 'Ask AWS for a larger quota, or wait.')
  if (maxPerSecond !== null && (ratePerSecond === null || ratePerSecond > maxPerSecond))
    return warned(
      'provider',
      `${found}; more would be asked of it`,
      `Set ${rateSetting}${maxPerSecond}, so that nothing is refused and tried again.`,
    )
  return passed('provider', found)
}

/** The rates at which the service suspends sending, and the quota of the month, in a thin row. */
import { useTranslation } from 'react-i18next'
import { sayDay } from '../../parts/say-time.ts'
import { type Overview, sayCount, sayShare, sayShareBelow } from './overview.ts'
import classes from './Results.module.css'

/** The others are on the pages of their domains. */
const domainsShown = 3

export function LimitsRow({ sending, quota }: Pick<Overview, 'sending' | 'quota'>) {
  const { t, i18n } = useTranslation('overview')
  const { hand_offs: whole } = sending
  const rate = (share: number, max: number): string =>
    t('rateOfMax', {
      rate: sayShareBelow(share, max, i18n.language),
      max: sayShare(max, i18n.language),
    })
  const partOf = (part: number): string =>
    t('rateOf', {
      part: sayCount(part, i18n.language),
      whole: sayCount(whole, i18n.language),
      count: whole,
    })
  const rows = [
    [t('bounceRate'), rate(sending.bounce_rate, sending.bounce_rate_max), partOf(sending.bounces)],
    [
      t('complaintRate'),
      rate(sending.complaint_rate, sending.complaint_rate_max),
      partOf(sending.complaints),
    ],
    ...sending.gmail_rates
      .slice(0, domainsShown)
      .map(({ domain, day, spam_rate: share }) => [
        t('gmailSpamRate'),
        rate(share, sending.gmail_spam_rate_max),
        t('gmailRateOf', { domain, day: sayDay(new Date(day), i18n.language, 'UTC') }),
      ]),
    [t('quota'), useQuota(quota), t('plan', { plan: quota.plan })],
  ]
  return (
    <dl className={classes.limits} aria-label={t('limits')}>
      {rows.map(([name, value, base]) => (
        <div key={`${name} ${base}`}>
          <dt>{name}</dt>
          <dd>
            {value} · {base}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function useQuota({ limit, used, remaining, resets_at: resetsAt, workspaces }: Overview['quota']) {
  const { t, i18n } = useTranslation('overview')
  const date = sayDay(new Date(resetsAt), i18n.language, 'UTC')
  const say = (count: number): string => sayCount(count, i18n.language)
  return [
    limit === null || remaining === null
      ? t('quotaNone', { used: say(used) })
      : t('quotaLeft', { count: remaining, limit: say(limit) }),
    t('resets', { date }),
    ...(workspaces > 1 ? [t('quotaShared', { count: workspaces - 1 })] : []),
  ].join(' · ')
}

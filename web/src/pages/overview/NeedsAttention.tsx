/** What a user should mend: one line each, which leads to the page that mends it. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { keyOf } from '../../parts/key-of.ts'
import { PageLink } from '../../parts/links.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { sayDay } from '../../parts/say-time.ts'
import { sayDate } from '../../say-date.ts'
import { sayCount, sayShare, type Overview } from './overview.ts'
import classes from './Results.module.css'

type Item = Overview['attention'][number]

export function NeedsAttention({ overview }: { overview: Overview }) {
  const { t, i18n } = useTranslation('overview')
  const { attention } = overview
  return (
    <PaperSection title={t('attention')} size="h2">
      {attention.length === 0 ? (
        <Text c="dimmed">{t('nothingToMend')}</Text>
      ) : (
        <ul className={classes.list} aria-label={t('attention')}>
          {attention.map((item) => (
            <li key={`${item.what} ${item.id}`}>
              <PageLink {...leadOf(item)}>
                {t(keyOf('attention', item.what), detailsOf(item, overview, i18n.language))}
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </PaperSection>
  )
}

function leadOf({ what, id }: Item): { to: string; search?: Record<string, string> } {
  switch (what) {
    case 'bounce_rate':
      return { to: 'emails', search: { status: 'bounced' } }
    case 'complaint_rate':
      return { to: 'emails', search: { status: 'complained' } }
    case 'withheld':
    case 'throttled':
      return { to: 'emails', search: { status: 'queued' } }
    case 'quota':
      return { to: 'settings/plan' }
    case 'campaign_paused':
      return { to: `campaigns/${id}` }
    case 'domain_broken':
    case 'domain_waiting':
      return { to: `settings/domains/${id}` }
    case 'webhook_disabled':
    case 'webhook_failing':
      return { to: `webhooks/${id}` }
    case 'key_expiring':
    case 'key_unused':
      return { to: 'settings/keys' }
  }
}

/** The names and figures that a line has. */
function detailsOf(item: Item, { throttled, held: withheld }: Overview, language: string) {
  const { name, since, share, max } = item
  const pace = throttled?.per_second ?? null
  return {
    name,
    ...(since !== null && { day: sayDay(new Date(since), language) }),
    ...(share !== null && { share: sayShare(share, language) }),
    ...(max !== null && { max: sayShare(max, language) }),
    ...(withheld !== null && {
      mails: sayCount(withheld.mails, language),
      campaigns: sayCount(withheld.campaigns, language),
      others: sayCount(withheld.others, language),
    }),
    ...(throttled !== null && {
      time: sayDate(new Date(throttled.until), language, { timeStyle: 'medium' }),
      context: pace === null ? undefined : 'paced',
      pace: pace === null ? '' : sayCount(Math.round(pace), language),
    }),
  }
}

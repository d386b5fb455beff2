/** The last campaigns with their rates; all of it came with the overview. */
import { Progress, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PageLink } from '../../parts/links.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { sayCount, sayShare, type Overview } from './overview.ts'
import classes from './Results.module.css'

export function RecentCampaigns({ campaigns }: Pick<Overview, 'campaigns'>) {
  const { t, i18n } = useTranslation('overview')
  return (
    <PaperSection
      title={t('lastCampaigns')}
      size="h2"
      beside={<PageLink to="campaigns">{t('allCampaigns')}</PageLink>}
    >
      {campaigns.length === 0 ? (
        <Text c="dimmed">{t('noCampaigns')}</Text>
      ) : (
        <ul className={classes.list} aria-label={t('lastCampaigns')}>
          {campaigns.map(({ id, name, sent, open_rate: opened, click_rate: clicked }) => (
            <li key={id} className={classes.campaign}>
              <div>
                <PageLink to={`campaigns/${id}`} fw={550}>
                  <UserText>{name}</UserText>
                </PageLink>{' '}
                <Text span c="dimmed" size="sm">
                  {t('campaignSent', { count: sent, n: sayCount(sent, i18n.language) })}
                </Text>
              </div>
              <Rate label={t('campaignOpened')} rate={opened} />
              <Rate label={t('campaignClicked')} rate={clicked} />
            </li>
          ))}
        </ul>
      )}
    </PaperSection>
  )
}

function Rate({ label, rate }: { label: string; rate: number | null }) {
  const { i18n } = useTranslation()
  const text = rate === null ? '–' : sayShare(rate, i18n.language)
  return (
    <div>
      <Text size="sm">
        <Text span c="dimmed" size="sm">
          {label}
        </Text>{' '}
        {text}
      </Text>
      <Progress value={(rate ?? 0) * 100} size={4} aria-hidden />
    </div>
  )
}

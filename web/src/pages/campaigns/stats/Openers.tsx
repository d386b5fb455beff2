/** The section tells opens of people from opens of privacy relays and requests of scanners. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from '../run/use-figures.ts'
import { Bars } from './Bars.tsx'
import { shareOf } from './share-of.ts'

/**
 * Opens of recipients, and of relays that fetch for them; requests of scanners stand apart and
 * count for nothing.
 */
export function Openers({
  results: { openers, scanners, detailsExpiredAt },
}: {
  results: CampaignResults
}) {
  const { t } = useTranslation('results')
  const { countedUpTo } = useFigures()
  const { people: contacts, relays } = openers
  const total = contacts + relays
  return (
    <PaperSection gap="md" title={t('openers')} about={t('openersAbout')}>
      <Bars
        headers={[t('openedBy'), t('people'), t('ofOpeners')]}
        rows={[
          { key: 'people', label: t('byPeople'), count: contacts, share: shareOf(contacts, total) },
          {
            key: 'relays',
            label: t('byRelays'),
            count: relays,
            share: shareOf(relays, total),
            tone: 'quiet',
          },
        ]}
      />
      <Text data-figure="scanners">
        {detailsExpiredAt === null
          ? t('scanners', {
              opens: countedUpTo(scanners.opens, scanners.moreOpens),
              clicks: countedUpTo(scanners.clicks, scanners.moreClicks),
            })
          : t('scannersExpired')}
      </Text>
      <Text c="dimmed">{t('scannersWhy')}</Text>
    </PaperSection>
  )
}

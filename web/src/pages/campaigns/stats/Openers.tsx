/** Whose opens these are: those of recipients, or of relays that fetch for them; and what scanners asked for, which counts for nothing. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from '../run/use-figures.ts'
import { Bars } from './Bars.tsx'

export function Openers({ results: { openers, scanners } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { countedUpTo } = useFigures()
  const total = openers.people + openers.relays
  const share = (part: number): number | null => (total === 0 ? null : part / total)
  return (
    <PaperSection gap="md" title={t('openers')} about={t('openersAbout')}>
      <Bars
        headers={[t('openedBy'), t('people'), t('ofOpeners')]}
        rows={[
          { key: 'people', label: t('byPeople'), count: openers.people, share: share(openers.people) },
          { key: 'relays', label: t('byRelays'), count: openers.relays, share: share(openers.relays), tone: 'quiet' },
        ]}
      />
      <Text data-figure="scanners">
        {t('scanners', {
          opens: countedUpTo(scanners.opens, scanners.moreOpens),
          clicks: countedUpTo(scanners.clicks, scanners.moreClicks),
        })}
      </Text>
      <Text c="dimmed">{t('scannersWhy')}</Text>
    </PaperSection>
  )
}

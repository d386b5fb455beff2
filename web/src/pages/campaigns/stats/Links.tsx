/** The section lists the links of a campaign with their clicks. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { UserText } from '../../../parts/UserText.tsx'
import { Bars } from './Bars.tsx'

/** The links of the mail, from most to least clicked. */
export function Links({ results: { links, tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  if (!tracked.clicks) return null
  const rows = links.map(({ position, url, clicks, share }) => ({
    ...{ key: `link-${position}`, label: <UserText>{url}</UserText> },
    ...{ count: clicks, share },
  }))
  return (
    <PaperSection gap="md" title={t('links')} about={t('linksAbout')}>
      {rows.length === 0 ? (
        <Text c="dimmed">{t('noLinks')}</Text>
      ) : (
        <Bars headers={[t('link'), t('clicks'), t('ofClicks')]} rows={rows} />
      )}
    </PaperSection>
  )
}

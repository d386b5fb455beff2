/** The links of the mail, from most to least clicked. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { Theirs } from '../../../parts/Theirs.tsx'
import { Bars } from './Bars.tsx'
import { Section } from './Section.tsx'

export function Links({ results: { links, tracked } }: { results: CampaignResults }): ReactNode {
  const { t } = useTranslation('results')
  if (!tracked.clicks) return null
  return (
    <Section title={t('links')} about={t('linksAbout')}>
      {links.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noLinks')}
        </Text>
      ) : (
        <Bars
          headers={[t('link'), t('clicks'), t('ofClicks')]}
          rows={links.map(({ position, url, clicks, share }) => ({
            key: `link-${position}`,
            label: <Theirs>{url}</Theirs>,
            count: clicks,
            share,
          }))}
        />
      )}
    </Section>
  )
}

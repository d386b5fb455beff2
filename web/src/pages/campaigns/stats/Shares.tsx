/**
 * These sections show a campaign's results as counts and shares: the funnel, the opens, the
 * programs and the clicks.
 */
import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { UserText } from '../../../parts/UserText.tsx'
import { useFigures } from '../run/use-figures.ts'
import { Bars, type BarRow } from './Bars.tsx'

interface ResultsProps {
  results: CampaignResults
}

/** The funnel leads from the frozen list to the clicks, with the failures at its end. */
export function Funnel({ results: { counts, delivery, tracked, campaign } }: ResultsProps) {
  const { t } = useTranslation('results')
  const { count, percent } = useFigures()
  const row = (key: keyof typeof counts, tone?: BarRow['tone']): BarRow => ({
    ...{
      key,
      label: t(key),
      count: counts[key],
      share: shareOf(counts[key], counts.recipients),
      tone,
    },
    to: {
      to: `campaigns/${campaign.id}/recipients`,
      search: key === 'recipients' ? {} : { only: key },
    },
  })
  const rows = [
    row('recipients', 'quiet'),
    row('delivered', 'good'),
    ...(tracked.opens || tracked.clicks ? [row('opened')] : []),
    ...(tracked.clicks ? [row('clicked')] : []),
    row('bounced', 'bad'),
    row('complained', 'bad'),
    row('unsubscribed', 'bad'),
  ]
  const untracked = tracked.clicks
    ? 'opensNotTracked'
    : tracked.opens
      ? 'clicksNotTracked'
      : 'nothingTracked'
  return (
    <PaperSection
      gap="md"
      title={t('funnel')}
      about={t(tracked.opens && tracked.clicks ? 'funnelAbout' : untracked)}
    >
      <Bars rows={rows} headers={[t('stage'), t('people'), t('ofRecipients')]} />
      {delivery !== null && delivery.assumedShare !== null && (
        <Text data-figure="delivery">
          {t('deliveryKnown', {
            reported: count(delivery.reported),
            engaged: count(delivery.engaged),
            assumed: count(delivery.assumed),
            share: percent(delivery.assumedShare),
          })}
        </Text>
      )}
    </PaperSection>
  )
}

/**
 * Opens of recipients, and of relays that fetch for them; requests of scanners stand apart and
 * count for nothing.
 */
export function Openers({ results: { openers, scanners, detailsExpiredAt } }: ResultsProps) {
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

const kinds = ['device', 'os', 'client'] as const

/** The section counts devices, systems and programs by each recipient's first open. */
export function Audience({ results: { audience } }: ResultsProps) {
  const { t } = useTranslation('results')
  const [kind, setKind] = useState<(typeof kinds)[number]>('device')
  const listed = audience[kind]
  const others = audience.total - listed.reduce((sum, { count }) => sum + count, 0)
  const rows: BarRow[] = [
    ...listed.map(({ label, count, share }) => ({
      key: label,
      label: t(`with_${label}`, { defaultValue: label }),
      count,
      share,
    })),
    // The list has five at most.
    ...(others > 0
      ? [
          {
            key: 'others',
            label: t('others'),
            count: others,
            share: others / audience.total,
            tone: 'quiet' as const,
          },
        ]
      : []),
  ]
  return (
    <PaperSection gap="md" title={t('audience')} about={t('audienceAbout')}>
      <SegmentedControl
        aria-label={t('audience')}
        value={kind}
        onChange={setKind}
        data={kinds.map((value) => ({ value, label: t(value) }))}
      />
      {rows.length === 0 ? (
        <Text c="dimmed">{t('noOpens')}</Text>
      ) : (
        <Bars rows={rows} headers={[t(kind), t('people'), t('ofOpeners')]} />
      )}
    </PaperSection>
  )
}

/** The links of the mail, from most to least clicked. */
export function Links({ results: { links, tracked } }: ResultsProps) {
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

const shareOf = (part: number, total: number): number | null => (total === 0 ? null : part / total)

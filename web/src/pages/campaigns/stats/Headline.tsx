/**
 * The headline of the results: each rate with its base, and the range that privacy relays leave
 * open.
 */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PageLink } from '../../../parts/links.tsx'
import { useFigures } from '../run/use-figures.ts'
import classes from './Results.module.css'
import { shareOf } from './share-of.ts'

type Counted = keyof CampaignResults['counts']

export function Headline({ results }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { tracked } = results
  const untracked = tracked.clicks
    ? 'opensNotTracked'
    : tracked.opens
      ? 'clicksNotTracked'
      : 'nothingTracked'
  return (
    <Stack gap="sm" component="section" aria-label={t('headline')}>
      <dl className={classes.tiles}>
        <Tile results={results} of="delivered" base="recipients">
          <Bounced results={results} />
        </Tile>
        {tracked.opens && <Opened results={results} />}
        {tracked.clicks && <Tile results={results} of="clicked" />}
        <Tile results={results} of="unsubscribed" />
        <Tile results={results} of="complained" />
      </dl>
      {!(tracked.opens && tracked.clicks) && <Text c="dimmed">{t(untracked)}</Text>}
      <KnownDeliveries results={results} />
    </Stack>
  )
}

interface TileProps {
  results: CampaignResults
  of: Counted
  /** What the rate is a share of. */
  base?: 'recipients' | 'delivered'
  /** In place of the one rate and the one count. */
  range?: { rate: string; count: string }
  children?: ReactNode
}

function Tile({ results, of, base = 'delivered', range, children }: TileProps) {
  const { t } = useTranslation('results')
  const { count, percent } = useFigures()
  const { counts, campaign } = results
  const total = counts[base]
  const n = range?.count ?? count(counts[of])
  return (
    <div className={classes.tile} data-figure={of}>
      <dt>{t(of === 'opened' ? 'openedByPeople' : of)}</dt>
      <dd className={classes.rate}>{range?.rate ?? percent(shareOf(counts[of], total))}</dd>
      <dd>
        <Text c="dimmed" component="span">
          {counts[of] > 0 ? (
            <PageLink
              to={`campaigns/${campaign.id}/recipients`}
              search={{ only: of }}
              underline="always"
            >
              {n}
            </PageLink>
          ) : (
            n
          )}{' '}
          {t(`of_${base}`, { count: total, total: count(total) })}
        </Text>
      </dd>
      {children}
    </div>
  )
}

/** A relay fetches for a reader or ahead of one, so people opened it at least without its opens. */
function Opened({ results }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { count, percent } = useFigures()
  const { counts, openers } = results
  if (openers.relays === 0) return <Tile results={results} of="opened" />
  const rate = t('between', {
    low: percent(shareOf(openers.people, counts.delivered)),
    high: percent(shareOf(counts.opened, counts.delivered)),
  })
  const range = { rate, count: `${count(openers.people)}–${count(counts.opened)}` }
  return (
    <Tile results={results} of="opened" range={range}>
      <Text component="dd" size="xs" c="dimmed">
        {t('relaysLeaveOpen', { count: openers.relays, n: count(openers.relays) })}
      </Text>
    </Tile>
  )
}

function Bounced({ results: { counts, campaign } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { count } = useFigures()
  if (counts.bounced === 0) return null
  return (
    <Text component="dd" size="xs" data-figure="bounced">
      <PageLink to={`campaigns/${campaign.id}/recipients`} search={{ only: 'bounced' }} size="xs">
        {t('bouncedOf', { count: counts.bounced, n: count(counts.bounced) })}
      </PageLink>
    </Text>
  )
}

/** How many deliveries are reported, and how many assumed. */
function KnownDeliveries({ results: { delivery } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { count, percent } = useFigures()
  if (delivery === null || delivery.assumedShare === null) return null
  return (
    <Text c="dimmed" data-figure="delivery">
      {t('deliveryKnown', {
        reported: count(delivery.reported),
        engaged: count(delivery.engaged),
        assumed: count(delivery.assumed),
        share: percent(delivery.assumedShare),
      })}
    </Text>
  )
}

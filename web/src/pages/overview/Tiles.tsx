/** Five tiles show the period's results, each with a line of its days and the figure of before. */
import { Paper, Text, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { keyOf } from '../../parts/key-of.ts'
import { Trend } from '../../parts/table/Trend.tsx'
import { countedDays, sayCount, sayShare, type Figures, type Period } from './overview.ts'
import classes from './Results.module.css'
import { dailyRates, dailySent, rateOf, shares, type ShareName } from './tiles.ts'

interface TileProps {
  name: string
  value: string
  /** What the value is counted of. */
  base: string
  /** The value now and before; null: there was none. */
  change: string | null
  line: number[]
}

export function Tiles({ period }: { period: Period }) {
  const { t, i18n } = useTranslation('overview')
  const { totals, before } = period
  const say = (count: number): string => sayCount(count, i18n.language)
  const signed = (count: number): string =>
    new Intl.NumberFormat(i18n.language, { signDisplay: 'exceptZero' }).format(count)
  return (
    <dl className={classes.tiles} aria-label={t('results')}>
      <Tile
        name={t('tileSent')}
        value={totals.sent === null ? '–' : say(totals.sent)}
        base={t('sentOf', { count: countedDays(period).length })}
        change={changeOfCount(before?.sent, totals.sent, i18n.language)}
        line={dailySent(period)}
      />
      {(['delivered', 'opened', 'clicked'] as const).map((share) => (
        <ShareTile key={share} share={share} period={period} />
      ))}
      <Tile
        name={t('tileSubscribers')}
        value={signed(totals.subscribed_change)}
        base={t('subscribedNow', { count: totals.subscribed })}
        change={before && signed(totals.subscribed_change - before.subscribed_change)}
        line={period.each.map(({ subscribed }) => subscribed)}
      />
    </dl>
  )
}

function ShareTile({ share, period }: { share: ShareName; period: Period }) {
  const { t, i18n } = useTranslation('overview')
  const { totals, before } = period
  const { part, whole } = shares[share](totals)
  const rate = rateOf({ part, whole })
  const rateBefore = before && rateOf(shares[share](before))
  const change = rate === null || rateBefore === null ? null : rate - rateBefore
  const points =
    change &&
    new Intl.NumberFormat(i18n.language, {
      signDisplay: 'exceptZero',
      maximumFractionDigits: 1,
    }).format(change * 100)
  return (
    <Tile
      name={t(keyOf('tile', share))}
      value={rate === null ? '–' : sayShare(rate, i18n.language)}
      base={
        part === null || (whole === 0 && totals.delivered > 0)
          ? t('notKnown')
          : t(share === 'delivered' ? 'ofSent' : 'ofDelivered', {
              part: sayCount(part, i18n.language),
              whole: sayCount(whole, i18n.language),
            })
      }
      change={
        change === null
          ? null
          : t('points', { count: Math.abs(change * 100), points: points === 0 ? '0' : points })
      }
      line={dailyRates(period, share)}
    />
  )
}

function Tile({ name, value, base, change, line }: TileProps) {
  const { t } = useTranslation('overview')
  return (
    <Paper className={classes.tile} p="md">
      <dt>{name}</dt>
      <dd className={classes.value}>
        {value}
        <Text
          span
          c="dimmed"
          size="xs"
          data-figure="change"
          title={change === null ? undefined : t('sinceBefore', { change })}
        >
          {change ?? t('noneBefore')}
          {change !== null && <VisuallyHidden>{t('sinceBefore', { change: '' })}</VisuallyHidden>}
        </Text>
      </dd>
      <dd>
        <Text c="dimmed" size="xs">
          {base}
        </Text>
      </dd>
      <dd className={classes.line} aria-hidden>
        <Trend values={line} />
      </dd>
    </Paper>
  )
}

/** Null where there is nothing to compare with. */
function changeOfCount(
  before: Figures['sent'] | undefined,
  now: number | null,
  language: string,
): string | null {
  if (before === undefined || before === null || before === 0 || now === null) return null
  return new Intl.NumberFormat(language, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  }).format((now - before) / before)
}

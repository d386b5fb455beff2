/**
 * The ledger of a campaign is a sum: it counts every recipient of the frozen list in exactly one
 * state, at every moment.
 */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { PageLink } from '../../../parts/links.tsx'
import { Section } from '../../../parts/Section.tsx'
import { ledgerSum } from './ledger-sum.ts'
import { ProgressBar, useSettled } from './Progress.tsx'
import classes from './Run.module.css'
import { useFigures } from './use-figures.ts'

export function Ledger({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  const { id, recipients } = run.campaign
  const { counts, shown, sum, addsUp } = ledgerSum(run)
  return (
    <Section title={t('ledger')} beside={<Text c="dimmed">{useSettled(run)}</Text>}>
      <ProgressBar run={run} />
      <dl className={classes.sum}>
        {([null, ...shown] as const).map((location, at) => (
          <div
            key={location}
            className={location ? `${classes.term} ${classes[location]}` : classes.term}
            data-sign={location && (at === 1 ? '=' : '+')}
          >
            <dt>{t(location ? `place_${location}` : 'recipients')}</dt>
            <dd>
              <PageLink
                to={`campaigns/${id}/recipients`}
                search={location ? { only: location } : {}}
                className={classes.number}
                data-figure={location ?? 'recipients'}
              >
                {count(location ? counts[location] : recipients)}
              </PageLink>
            </dd>
            <Text component="dd" size="xs" c="dimmed">
              {t(location ? `placeWhat_${location}` : 'recipientsWhat')}
            </Text>
          </div>
        ))}
      </dl>
      <Text c="dimmed" data-adds-up={addsUp}>
        <Group gap={6} component="span" display="inline-flex">
          <Icon name={addsUp ? 'check' : 'warning'} size={15} />
          {t(addsUp ? 'addsUp' : 'addsUpNot', { sum: count(sum), total: count(recipients) })}
        </Group>
      </Text>
    </Section>
  )
}

/**
 * Shows one requirement: its state and since when, who demands it, why it is so, and the record
 * that would meet it.
 */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { DomainCompliance } from '../../../../../src/contract/workspace/compliance.ts'
import { CopyField } from '../../../parts/CopyField.tsx'
import { keyOf } from '../../../parts/key-of.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { sayDay } from '../../../parts/say-time.ts'
import { Status, type Tone } from '../../../parts/Status.tsx'
import { SettingFacts } from '../SettingFacts.tsx'

type Requirement = DomainCompliance['requirements'][number]

const tones: Record<Requirement['state'], Tone> = {
  met: 'good',
  not_met: 'bad',
  unknown: 'quiet',
  not_applicable: 'quiet',
}

export function RequirementView({ of }: { of: Requirement }) {
  const { t } = useTranslation('settings')
  const sayReason = useSayReason()
  const { requirement, state, since, record } = of
  const title = t(keyOf('demand', requirement))
  return (
    <Paper component="div" role="group" p="md" aria-label={title}>
      <Stack gap={6}>
        <Group justify="space-between" align="flex-start">
          <Title order={3}>{title}</Title>
          <Status tone={tones[state]}>{t(keyOf('demandState', state))}</Status>
        </Group>
        <Text>{sayReason(of)}</Text>
        <Text size="xs" c="dimmed">
          <DemandedBy of={of} />
          {since !== null && (
            <>
              {' · '}
              {t('inThisStateSince')} <Moment at={since} />
            </>
          )}
        </Text>
        {record && (
          <SettingFacts
            facts={[
              { name: t('recordType'), value: record.type },
              {
                name: t('recordName'),
                value: <CopyField value={record.name} label={t('recordName')} wrap />,
              },
              {
                name: t('recordShould'),
                value: <CopyField value={record.value} label={t('recordValue')} wrap />,
              },
            ]}
          />
        )}
      </Stack>
    </Paper>
  )
}

function DemandedBy({ of: { demanded_by: by } }: { of: Requirement }) {
  const { t, i18n } = useTranslation('settings')
  const names = by.map(({ receiver, of }) => {
    const name = t(keyOf('receiver', receiver))
    return of === 'all' ? name : t(keyOf('demandOf', of), { name })
  })
  return <>{t('demandedBy', { names: new Intl.ListFormat(i18n.language).format(names) })}</>
}

/** Words the reason with its names and figures. */
function useSayReason(): (requirement: Requirement) => string {
  const { t, i18n } = useTranslation('settings')
  const percent = (rate: number): string =>
    new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 }).format(
      rate,
    )
  const say = (name: string, value: string | number): string => {
    if (typeof value === 'number')
      return name.startsWith('rate') ? percent(value) : value.toLocaleString(i18n.language)
    if (name === 'day' || name === 'since') return sayDay(new Date(value), i18n.language, 'UTC')
    if (name === 'missing')
      return new Intl.ListFormat(i18n.language).format(
        value.split(', ').map((each) => t(keyOf('demand', each), { defaultValue: each })),
      )
    return value
  }
  return ({ requirement, reason, details }) =>
    t(reason === 'good' ? keyOf('demandGood', requirement) : keyOf('demandReason', reason), {
      ...Object.fromEntries(
        Object.entries(details).map(([name, value]) => [name, say(name, value)]),
      ),
      defaultValue: '',
    })
}

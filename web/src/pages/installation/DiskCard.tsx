/**
 * The card shows how much disk each class of data takes, how fast it grows, and when it is full at
 * that rate.
 */
import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { InstallationState } from '../../../../src/contract/workspace/installation.ts'
import { keyOf } from '../../parts/key-of.ts'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayDay } from '../../parts/say-time.ts'
import { PaperSection } from '../../parts/Section.tsx'

export function DiskCard({ disk }: { disk: NonNullable<InstallationState['disk']> }) {
  const { t, i18n } = useTranslation('installation')
  const { t: shell } = useTranslation('shell')
  const {
    classes,
    measured_at: measuredAt,
    bytes_per_day: growth,
    full_at: fullAt,
    is_disk_known: isKnown,
  } = disk
  const say = (bytes: number): string => sayBytes(bytes, i18n.language)
  return (
    <PaperSection title={t('disk')} size="h2" gap="sm">
      <Text c="dimmed" component="div">
        {t('diskAsOf')} <Moment at={measuredAt} exact />
      </Text>
      <Table aria-label={t('disk')}>
        <Table.Tbody>
          {classes.map(({ class: name, bytes }) => (
            <Table.Tr key={name}>
              <Table.Td>
                {name === 'other' ? t('diskOther') : shell(keyOf('retained', name))}
              </Table.Td>
              <Table.Td ta="end">{say(bytes)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text>
        {growth === null
          ? t('diskTooSoon')
          : growth <= 0
            ? t('diskSteady')
            : t('diskGrows', { bytes: say(growth) })}{' '}
        {fullAt !== null && t('diskFull', { day: sayDay(new Date(fullAt), i18n.language, 'UTC') })}
        {!isKnown && t('diskUnknown')}
      </Text>
      <PageLink to="settings/retention">{t('retention')}</PageLink>
    </PaperSection>
  )
}

/** In powers of ten. */
function sayBytes(bytes: number, language: string): string {
  const [unit, size] =
    bytes < 1e6
      ? (['kilobyte', 1e3] as const)
      : bytes < 1e9
        ? (['megabyte', 1e6] as const)
        : (['gigabyte', 1e9] as const)
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    bytes / size,
  )
}

/**
 * Shows the spam rates that Gmail publishes of a domain, the limit, and what Google says needs
 * work.
 */
import { Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type {
  DomainCompliance,
  Enrolment,
} from '../../../../../src/contract/workspace/compliance.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { sayDay } from '../../../parts/say-time.ts'
import { Section } from '../../../parts/Section.tsx'
import { Status } from '../../../parts/Status.tsx'

const daysShown = 14

/** The page says below what to enter there. */
const isForRates = ({ program, applies }: Enrolment): boolean =>
  applies && program === 'google_postmaster'

export function GmailRates({ of: { gmail, enrolments } }: { of: DomainCompliance }) {
  const { t, i18n } = useTranslation('settings')
  const percent = (rate: number): string =>
    new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 }).format(
      rate,
    )
  if (gmail === null)
    return (
      <Section title={t('gmailRates')} size="h2">
        <Text c="dimmed">
          {t('gmailNotRead')} {enrolments.some(isForRates) && t('gmailReadHow')}
        </Text>
      </Section>
    )
  return (
    <Section
      title={t('gmailRates')}
      about={t('gmailRatesWhy', { max: percent(gmail.spam_rate_max) })}
      size="h2"
    >
      <Paper p="md">
        <Stack gap="sm">
          {gmail.days.length === 0 ? (
            <Text>{t('gmailNoRates')}</Text>
          ) : (
            <Table aria-label={t('gmailRates')}>
              <Table.Tbody>
                {gmail.days.slice(0, daysShown).map(({ day, spam_rate: rate }) => (
                  <Table.Tr key={day}>
                    <Table.Td>{sayDay(new Date(day), i18n.language, 'UTC')}</Table.Td>
                    <Table.Td>{percent(rate)}</Table.Td>
                    <Table.Td>
                      <Status tone={rate > gmail.spam_rate_max ? 'bad' : 'good'}>
                        {rate > gmail.spam_rate_max ? t('gmailAbove') : t('gmailBelow')}
                      </Status>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          {gmail.needs_work.length > 0 && (
            <Group gap="xs">
              <Text>{t('gmailNeedsWork')}</Text>
              {gmail.needs_work.map((requirement) => (
                <Status key={requirement} tone="warning">
                  {requirement}
                </Status>
              ))}
            </Group>
          )}
          {gmail.problem !== null && <Text>{t('gmailProblem', { problem: gmail.problem })}</Text>}
          <Text size="xs" c="dimmed">
            {t('gmailReadAt')} <Moment at={gmail.read_at} />
          </Text>
        </Stack>
      </Paper>
    </Section>
  )
}

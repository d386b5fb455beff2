/**
 * Lists where to enrol for the reports of receivers, with the values to enter, and when the first
 * report came.
 */
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Enrolment } from '../../../../../src/contract/workspace/compliance.ts'
import { CopyField } from '../../../parts/CopyField.tsx'
import { keyOf } from '../../../parts/key-of.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Section } from '../../../parts/Section.tsx'
import { Status } from '../../../parts/Status.tsx'
import { SettingFacts } from '../SettingFacts.tsx'

export function Enrolments({ enrolments }: { enrolments: readonly Enrolment[] }) {
  const { t } = useTranslation('settings')
  const shown = enrolments.filter(({ applies }) => applies)
  if (shown.length === 0) return null
  return (
    <Section title={t('enrolments')} about={t('enrolmentsWhy')} size="h2">
      {shown.map((enrolment) => (
        <EnrolmentView key={enrolment.program} of={enrolment} />
      ))}
    </Section>
  )
}

function EnrolmentView({
  of: { program, url, values, first_report_at: first },
}: {
  of: Enrolment
}) {
  const { t } = useTranslation('settings')
  const name = t(keyOf('program', program))
  return (
    <Paper component="div" role="group" p="md" aria-label={name}>
      <Stack gap={6}>
        <Group justify="space-between" align="flex-start">
          <Title order={3}>{name}</Title>
          {first === null ? (
            <Status tone="quiet">{t('noReportYet')}</Status>
          ) : (
            <Status tone="good">
              {t('firstReport')} <Moment at={first} />
            </Status>
          )}
        </Group>
        <Text c="dimmed">{t(keyOf('program', `${program}_why`))}</Text>
        <SettingFacts
          facts={values.map(({ field, value }) => ({
            name: t(keyOf('enrol', field)),
            value:
              value === null ? (
                t(keyOf('enrolMissing', field))
              ) : (
                <CopyField value={value} label={t(keyOf('enrol', field))} wrap />
              ),
          }))}
        />
        <Anchor href={url} target="_blank" rel="noreferrer">
          {t('enrolHere')}
        </Anchor>
      </Stack>
    </Paper>
  )
}

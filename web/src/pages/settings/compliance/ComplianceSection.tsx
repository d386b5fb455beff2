/**
 * Shows which requirements of the large receivers a domain meets: an overview by receiver, then a
 * line for each state, with what is not met open.
 */
import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../../api/use-ask.ts'
import { Loaded } from '../../../parts/Loaded.tsx'
import { Section } from '../../../parts/Section.tsx'
import { Enrolments } from './Enrolments.tsx'
import { GmailRates } from './GmailRates.tsx'
import { ReceiverLines } from './ReceiverLines.tsx'
import { StateLine } from './StateLine.tsx'

/** What is not met comes first. */
const order = ['not_met', 'unknown', 'met', 'not_applicable'] as const

export function ComplianceSection({ name }: { name: string }) {
  const { t } = useTranslation('settings')
  const read = useAsk('getDomainCompliance', { params: { name } }, { poll: 15_000 })
  return (
    <Loaded of={read}>
      {(compliance) => (
        <Stack gap="lg">
          <Section title={t('compliance')} about={t('complianceWhy')} size="h2">
            <ReceiverLines compliance={compliance} />
            {order.map((state) => (
              <StateLine key={state} state={state} all={compliance.requirements} />
            ))}
          </Section>
          <GmailRates of={compliance} />
          <Enrolments enrolments={compliance.enrolments} />
        </Stack>
      )}
    </Loaded>
  )
}

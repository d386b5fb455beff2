/**
 * Shows which requirements of the large receivers a domain meets: an overview by receiver, then
 * each with what to do.
 */
import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { DomainCompliance } from '../../../../../src/contract/workspace/compliance.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Loaded } from '../../../parts/Loaded.tsx'
import { Section } from '../../../parts/Section.tsx'
import { Enrolments } from './Enrolments.tsx'
import { GmailRates } from './GmailRates.tsx'
import { ReceiverCards } from './ReceiverCards.tsx'
import { RequirementView } from './RequirementView.tsx'

/** What is not met comes first. */
const order = ['not_met', 'unknown', 'met', 'not_applicable']

export function ComplianceSection({ name }: { name: string }) {
  const { t } = useTranslation('settings')
  const read = useAsk('getDomainCompliance', { params: { name } }, { poll: 15_000 })
  return (
    <Loaded of={read}>
      {(compliance) => (
        <Stack gap="lg">
          <Section title={t('compliance')} about={t('complianceWhy')} size="h2">
            <ReceiverCards compliance={compliance} />
            {sorted(compliance).map((requirement) => (
              <RequirementView key={requirement.requirement} of={requirement} />
            ))}
          </Section>
          <GmailRates of={compliance} />
          <Enrolments enrolments={compliance.enrolments} />
        </Stack>
      )}
    </Loaded>
  )
}

const sorted = ({ requirements }: DomainCompliance): DomainCompliance['requirements'] =>
  requirements.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))

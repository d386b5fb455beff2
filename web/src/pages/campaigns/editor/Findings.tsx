/** Findings of a check as a list, each with the way to its place. */
import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Status } from '../../../parts/Status.tsx'
import type { FindingLine } from './finding-lines.ts'

/** `renderWay`: what leads to the place of a finding; null where there is none. */
export function Findings({ lines, renderWay }: { lines: readonly FindingLine[]; renderWay: (line: FindingLine) => ReactNode }) {
  const { t } = useTranslation('drafts')
  return (
    <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
      {lines.map((line) => (
        <li key={line.id} data-finding={line.tone}>
          <Group gap="xs" wrap="nowrap" align="flex-start" justify="space-between">
            <Stack gap={2} align="flex-start" miw={0}>
              <Status tone={line.tone}>{t(`finding_${line.tone}`)}</Status>
              <Text style={{ overflowWrap: 'anywhere' }}>{line.text}</Text>
            </Stack>
            {renderWay(line)}
          </Group>
        </li>
      ))}
    </Stack>
  )
}

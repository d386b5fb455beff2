/** Shows the findings of a check, the worst first, each with a link to its place. */
import { Anchor, Group, Loader, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../parts/Icon.tsx'
import { IconButton } from '../../../parts/IconButton.tsx'
import { Status } from '../../../parts/Status.tsx'
import type { FindingLine } from './finding-lines.ts'

interface FindingsProps {
  lines: readonly FindingLine[]
  /** Draws the link to the place of a finding; null where it has none. */
  renderWay: (line: FindingLine) => ReactNode
  /** Draws what mends a finding in place. */
  renderRemedy?: (line: FindingLine) => ReactNode
}

/** Shows the findings that need a look, and folds those that passed into one line. */
export function Findings({ lines, ...draws }: FindingsProps) {
  const { t } = useTranslation('drafts')
  const id = useId()
  const [isOpen, { toggle }] = useDisclosure()
  const passed = lines.filter(({ folds }) => folds)
  return (
    <>
      <FindingLines lines={lines.filter(({ folds }) => !folds)} {...draws} />
      {passed.length > 0 && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          style={{ alignSelf: 'start' }}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {t('checksPassed', { count: passed.length })}{' '}
          <Icon name={isOpen ? 'down' : 'next'} size={14} />
        </Anchor>
      )}
      <div id={id}>{isOpen && <FindingLines lines={passed} {...draws} />}</div>
    </>
  )
}

function FindingLines({ lines, renderWay, renderRemedy }: FindingsProps) {
  const { t } = useTranslation('drafts')
  if (lines.length === 0) return null
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
          {renderRemedy?.(line)}
        </li>
      ))}
    </Stack>
  )
}

export function Checking() {
  const { t } = useTranslation('drafts')
  return (
    <Group role="status" wrap="nowrap">
      <Loader size="sm" />
      <Text>{t('checking')}</Text>
    </Group>
  )
}

export function CheckAgain(button: { disabled?: boolean; onClick: () => void }) {
  const { t } = useTranslation('drafts')
  return (
    <IconButton
      variant="default"
      size="xs"
      icon="refresh"
      iconSize={14}
      label={t('checkAgain')}
      {...button}
    />
  )
}

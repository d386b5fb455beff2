/**
 * Shows why a mail server refuses mail, in the words of the service, and what mends it: a step,
 * records, a form.
 */
import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { RefusalExplained } from '../../../src/contract/workspace/refusals.ts'
import { CopyField } from './CopyField.tsx'
import { Icon } from './Icon.tsx'

/** `beside`: how often and when, where that is known. */
export function RefusalNotice({
  refusal,
  beside,
}: {
  refusal: RefusalExplained
  beside?: ReactNode
}) {
  return (
    <Alert
      icon={<Icon name="warning" />}
      color="red"
      variant="outline"
      title={refusal.what}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      data-refusal={refusal.cause}
      data-requirement={refusal.requirement}
    >
      <Stack gap="xs">
        {beside && <Text c="dimmed">{beside}</Text>}
        <Remedy refusal={refusal} />
      </Stack>
    </Alert>
  )
}

export function Remedy({
  refusal: { next, records, link, source },
}: {
  refusal: RefusalExplained
}) {
  const { t } = useTranslation('shell')
  return (
    <>
      <Text>{next}</Text>
      {records.map(({ type, name, value }) => (
        <Stack key={`${type} ${name} ${value}`} gap={2}>
          <Group gap="xs" wrap="nowrap">
            <Text fw={550}>{type}</Text>
            <CopyField value={name} label={t('refusalRecordName')} wrap />
          </Group>
          <CopyField value={value} label={t('refusalRecordValue')} wrap />
        </Stack>
      ))}
      <Group gap="md">
        {link !== null && <Outside to={link}>{t('refusalForm')}</Outside>}
        <Outside to={source}>{t('refusalSource')}</Outside>
      </Group>
    </>
  )
}

function Outside({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noreferrer noopener" size="sm">
      {children}
    </Anchor>
  )
}

/**
 * Shows the address of a form's page, the HTML to paste elsewhere and the one with a script, or why the form is closed.
 */
import { Alert, Anchor, Collapse, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { Form } from '../../../../src/contract/workspace/forms.ts'
import { Code } from '../../parts/Code.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'

const reasons = {
  disabled: { text: 'closedByYou', to: null, link: null },
  no_sender: { text: 'closedNoSender', to: 'settings/senders', link: 'senders' },
  unverified_from_domain: { text: 'closedUnverified', to: 'settings/domains', link: 'domains' },
  reputation_blocked: { text: 'closedSuspended', to: 'settings/plan', link: 'plan' },
} as const

export function FormSharing({ form }: { form: Form }) {
  const { t } = useTranslation('settings')
  const why = form.closed_because === null ? null : reasons[form.closed_because]
  return (
    <Paper component="section" aria-label={t('sharing')}>
      <Stack gap="sm">
        {why && (
          <Alert color="yellow" icon={<Icon name="warning" />}>
            {t(why.text)}{' '}
            {why.to !== null && (
              <PageLink to={why.to} underline="always">
                {t(why.link)}
              </PageLink>
            )}
          </Alert>
        )}
        <Group justify="space-between" gap="xs">
          <Text size="md" fw={550}>
            {t('itsPage')}
          </Text>
          <Anchor href={form.url} target="_blank" rel="noreferrer" size="sm">
            {t('openItsPage')} <Icon name="external" size={14} />
          </Anchor>
        </Group>
        <CopyField value={form.url} label={t('itsPage')} wrap />
        <ShownCode label={t('embedCode')} why={t('embedWhy')} code={form.embed} />
        <ShownCode
          label={t('snippetCode')}
          why={t(form.origins.length === 0 ? 'snippetNoOrigin' : 'snippetWhy')}
          code={form.snippet}
        />
      </Stack>
    </Paper>
  )
}

function ShownCode({ label, why, code }: { label: string; why: string; code: string }) {
  const [isShown, { toggle }] = useDisclosure()
  return (
    <>
      <UnstyledButton onClick={toggle} aria-expanded={isShown} fz="sm">
        <Group gap={4}>
          <Icon name={isShown ? 'down' : 'next'} size={14} />
          {label}
        </Group>
      </UnstyledButton>
      <Collapse expanded={isShown}>
        <Stack gap="xs">
          <Text c="dimmed" maw="70ch">
            {why}
          </Text>
          <Code label={label}>{code}</Code>
        </Stack>
      </Collapse>
    </>
  )
}

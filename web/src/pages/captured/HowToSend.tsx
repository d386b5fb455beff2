/** An empty mailbox says how to send the first mail, and names the simulated recipients. */
import { List, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Code } from '../../parts/Code.tsx'

const simulators = [
  'delivered',
  'bounced',
  'complained',
  'failed',
  'deferred',
  'refused',
  'slow',
] as const

export function HowToSend({ sender }: { sender: string | null }) {
  const { t } = useTranslation('captured')
  return (
    <Stack gap="sm" py="md">
      <Title order={2} size="h4">
        {t('none')}
      </Title>
      <Text c="dimmed">{t('noneWhy')}</Text>
      <Code label={t('example')}>
        {exampleOf(sender ?? 'hello@example.com', t('exampleSubject'))}
      </Code>
      <Title order={3} size="h5">
        {t('simulators')}
      </Title>
      <Text c="dimmed">{t('simulatorsWhy')}</Text>
      <List listStyleType="none" spacing={4}>
        {simulators.map((name) => (
          <List.Item key={name}>
            <code>{name}@simulator.test</code> <Text span>{t(`simulator_${name}`)}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

const exampleOf = (sender: string, subject: string): string =>
  [
    `curl ${window.location.origin}/api/v1/emails \\`,
    `  -H "Authorization: Bearer $FACTEUR_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ from: sender, to: 'bounced+test@simulator.test', subject, text: subject })}'`,
  ].join('\n')

/** The links of a mail with their targets: the frame beside them follows none. */
import { Anchor, List, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MailLink } from '../../../src/contract/captured.ts'

export function MailLinks({ links }: { links: readonly MailLink[] }) {
  const { t } = useTranslation('emails')
  if (links.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-labelledby="mail-links">
      <Title order={3} size="h4" id="mail-links">
        {t('links')}
      </Title>
      <Text c="dimmed">{t('linksAbout')}</Text>
      <List listStyleType="none">
        {links.map(({ address, text, leads_to: target }) => (
          <List.Item key={address} style={{ overflowWrap: 'anywhere' }}>
            <Anchor href={address} target="_blank" rel="noreferrer noopener" size="sm">
              <bdi>{text || address}</bdi>
            </Anchor>{' '}
            {text !== '' && (
              <Text component="span" c="dimmed">
                <bdi>{target ?? address}</bdi>
              </Text>
            )}
            {target !== null && (
              <Text c="dimmed">
                {text === '' && (
                  <>
                    <bdi>{target}</bdi>{' '}
                  </>
                )}
                {t('linkCounts')}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

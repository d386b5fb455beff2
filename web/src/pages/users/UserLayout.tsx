/**
 * The layout puts the way back to the workspaces above the pages of a user, and asks for a fresh
 * sign-in.
 */
import { Anchor, Box, Container, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import icon from '../../icon.svg'
import { FreshSignIn } from './FreshSignIn.tsx'
import { AwayBar } from '../../parts/AwayBar.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Toasts } from '../../parts/Toasts.tsx'

export function UserLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('users')
  const { t: shell } = useTranslation('shell')
  return (
    <Box>
      <Anchor className="skip" href="#content">
        {shell('skip')}
      </Anchor>
      <Box component="header" className="user-header">
        <Container size="md" py="md">
          <PageLink to="/" c="inherit" aria-label={t('toWorkspaces')}>
            <Group gap="xs" component="span" display="inline-flex">
              <img src={icon} alt="" width={26} height={26} />
              <Text size="md" span fw={620}>
                {t('toWorkspaces')}
              </Text>
            </Group>
          </PageLink>
        </Container>
        <Container size="md" px={4}>
          <Toasts />
        </Container>
      </Box>
      <Container component="main" id="content" size="md" pb={80}>
        <AwayBar />
        {children}
      </Container>
      <FreshSignIn />
    </Box>
  )
}

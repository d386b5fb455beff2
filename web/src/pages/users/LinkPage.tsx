/** A link that works once opens this page, which shows its purpose, or that it no longer works. */
import { Alert, Center, Loader, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { UserFrame } from './UserFrame.tsx'

interface LinkPageProps<Read> {
  title: string
  about?: ReactNode
  read: UseQueryResult<Read>
  /** This text says what to do when the link no longer works. */
  dead: string
  children: (read: Read) => ReactNode
}

export function LinkPage<Read>({ title, about, read, dead, children }: LinkPageProps<Read>) {
  const { t } = useTranslation('users')
  if (!read.data && refusalCode(read.error) === 'link_not_valid') {
    return (
      <UserFrame title={t('linkDead')}>
        <Alert color="yellow" icon={<Icon name="warning" />}>
          <Stack gap="xs">
            <Text>{t('linkDeadWhy')}</Text>
            <Text>{dead}</Text>
          </Stack>
        </Alert>
        <PageLink to="/sign-in" size="sm">
          {t('toSignIn')}
        </PageLink>
      </UserFrame>
    )
  }
  const waiting = (
    <Center p="lg">
      <Loader />
    </Center>
  )
  return (
    <UserFrame title={title} about={read.data && about}>
      <Loaded of={read} waiting={waiting}>
        {children}
      </Loaded>
    </UserFrame>
  )
}

/** What stands around every page of a workspace: its menu at the side, behind a button on a phone. */
import { AppShell, Burger, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import icon from '../icon.svg'
import { FreshSignIn } from './FreshSignIn.tsx'
import { keepSlug } from './last-slug.ts'
import { Menu } from './Menu.tsx'
import { NotFound } from './NotFound.tsx'
import classes from './WorkspaceLayout.module.css'

const waiting = (
  <Stack>
    <Skeleton height={30} width={220} />
    <Skeleton height={240} />
  </Stack>
)

export function WorkspaceLayout(): ReactNode {
  const { t } = useTranslation('shell')
  const { slug = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const [opened, { toggle, close }] = useDisclosure()
  const { data } = useAsk('listMyWorkspaces')
  const mine = data?.data.find((workspace) => workspace.slug === slug)
  useEffect(close, [pathname, close])
  useEffect(() => {
    if (mine) keepSlug(mine.slug)
  }, [mine])
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 244, breakpoint: 'sm', collapsed: { mobile: !opened } }}
    >
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Group h="100%" px="md" justify="space-between">
          <Group gap="xs">
            <img src={icon} alt="" width={24} height={24} />
            <Text fw={620}>{mine?.name ?? 'Facteur'}</Text>
          </Group>
          <Burger opened={opened} onClick={toggle} size="sm" aria-label={t('menu')} aria-expanded={opened} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-opened={opened} aria-label={t('navigation')}>
        <Menu onClose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" className={classes.main}>
        <div className={classes.content}>
          {data && !mine ? (
            <NotFound />
          ) : (
            // A page that still fetches its words or a chart leaves the menu where it is.
            <Suspense fallback={waiting}>
              <Outlet />
            </Suspense>
          )}
        </div>
      </AppShell.Main>
      <FreshSignIn />
    </AppShell>
  )
}

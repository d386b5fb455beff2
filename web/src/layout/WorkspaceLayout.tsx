/** The layout puts the menu beside every page of a workspace, and behind a button on a phone. */
import { AppShell, Burger, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure, useElementSize, useWindowEvent } from '@mantine/hooks'
import { Outlet, useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import { useWorkspace } from '../api/use-role.ts'
import icon from '../icon.svg'
import { AwayBar } from '../parts/AwayBar.tsx'
import { Toasts } from '../parts/Toasts.tsx'
import { FreshSignIn } from '../pages/users/FreshSignIn.tsx'
import { NotFound } from '../parts/NotFound.tsx'
import { TopLineSlots } from '../parts/top-line-slots.ts'
import { useIsWide } from '../parts/use-is-wide.ts'
import { CapturedBadge } from './CapturedBadge.tsx'
import { GoTo } from './GoTo.tsx'
import { SettingsFrame } from './SettingsFrame.tsx'
import { SideMenu } from './SideMenu.tsx'
import { storeSlug } from './Start.tsx'
import { TopLine } from './TopLine.tsx'
import classes from './WorkspaceLayout.module.css'

const waiting = (
  <Stack>
    <Skeleton height={30} width={220} />
    <Skeleton height={240} />
  </Stack>
)

/** Whether the page is a section of the settings. */
const isSettings = (path: string): boolean => /^\/[^/]+\/settings\/./.test(path)

/** The height of the header on a phone, in pixels. */
const headerHeight = 52

export function WorkspaceLayout() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const [opened, { toggle, close }] = useDisclosure()
  const { data } = useAsk('listMyWorkspaces')
  const mine = useWorkspace()
  const burger = useRef<HTMLButtonElement>(null)
  // The menu at the side (`sm`) holds the toasts; on a phone they lengthen the header, which moves
  // the page down.
  const isWide = useIsWide()
  const [crumbs, crumbsRef] = useState<HTMLElement | null>(null)
  const [main, mainRef] = useState<HTMLElement | null>(null)
  const { ref: toasts, height: toastsHeight } = useElementSize()
  useEffect(close, [pathname, close])
  useWindowEvent('keydown', (event) => {
    // An open part of the menu, such as the list of workspaces, takes the key first.
    if (!opened || event.key !== 'Escape' || event.defaultPrevented) return
    close()
    burger.current?.focus()
  })
  useEffect(() => {
    if (mine) storeSlug(mine.slug)
  }, [mine])
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: headerHeight + toastsHeight, sm: 0 } }}
      navbar={{ width: 244, breakpoint: 'sm', collapsed: { mobile: !opened } }}
    >
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Group h={headerHeight} px="md" gap="xs" wrap="nowrap">
          <img src={icon} alt="" width={24} height={24} />
          <Text size="md" fw={620} flex={1} truncate>
            {mine?.name ?? 'Facteur'}
          </Text>
          {/* The line above the page has no room for them. */}
          {!isWide && (!data || mine) && (
            <>
              <CapturedBadge />
              <GoTo />
            </>
          )}
          <Burger
            ref={burger}
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={t('menu')}
            aria-expanded={opened}
          />
        </Group>
        <div ref={toasts}>{!isWide && <Toasts />}</div>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-opened={opened} aria-label={t('navigation')}>
        <SideMenu onClose={close}>{isWide && <Toasts />}</SideMenu>
      </AppShell.Navbar>
      <AppShell.Main id="content" className={classes.main}>
        <div className={classes.content}>
          <AwayBar />
          {data && !mine ? (
            <NotFound />
          ) : (
            <TopLineSlots value={{ crumbs, main: isWide ? main : null }}>
              <TopLine {...{ crumbsRef, mainRef, isWide }} />
              {/* A page that still fetches its words or a chart leaves the menu where it is. */}
              <Suspense fallback={waiting}>
                {isSettings(pathname) ? (
                  <SettingsFrame>
                    <Outlet />
                  </SettingsFrame>
                ) : (
                  <Outlet />
                )}
              </Suspense>
            </TopLineSlots>
          )}
        </div>
      </AppShell.Main>
      <FreshSignIn />
    </AppShell>
  )
}

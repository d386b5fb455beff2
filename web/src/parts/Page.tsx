/**
 * The frame of every page has its title, which screen readers announce on arrival, its actions, and
 * the way back.
 */
import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { createContext, use, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { Addressed } from './Addressed.tsx'
import { BackLink, Crumbs, type PageAbove } from './Crumbs.tsx'
import { MoreButton, MoreMenu, type PageAction } from './more-actions.tsx'
import classes from './Page.module.css'
import { TopLineSlots } from './top-line-slots.ts'
import { useArrival } from './use-arrival.ts'
import { useIsWide } from './use-is-wide.ts'

/** The parts of a page read here where it leads back to, for when they find nothing. */
export const WayBack = createContext<PageProps['back'] | null>(null)

interface PageProps {
  title: string
  /** This stands beside the title: a state, say. */
  beside?: ReactNode
  /** One line below the title gives the purpose of the page, or its figures. */
  about?: ReactNode
  actions?: ReactNode
  /** The main button stands in the line above the page, on a phone beside the title. */
  main?: ReactNode
  /** What else the page leads to; on a phone, and where there is much of it, a menu. */
  more?: readonly PageAction[]
  back?: PageAbove
  children: ReactNode
}

export function Page(props: PageProps) {
  const { title, beside, about, actions, main, more = [], back, children } = props
  const slots = use(TopLineSlots)
  const isWide = useIsWide()
  // Of many, the last has a button of its own.
  const buttons = isWide ? more.slice(more.length > 2 ? -1 : 0) : []
  const rest = more.slice(0, more.length - buttons.length)
  const heading = useArrival()
  useDocumentTitle(`${title} · Facteur`)
  return (
    <Stack className={classes.page} data-page>
      <Stack gap={6} className={classes.head} data-head>
        {slots === null && back && <BackLink back={back} />}
        {slots?.crumbs && createPortal(<Crumbs back={back} />, slots.crumbs)}
        {slots?.main && createPortal(main, slots.main)}
        <Group justify="space-between" align="flex-start" gap="sm" className={classes.top}>
          <Group gap="sm" miw={0} className={classes.title}>
            <Title order={1} ref={heading} tabIndex={-1}>
              <Addressed>{title}</Addressed>
            </Title>
            {beside}
          </Group>
          {(actions || more.length > 0 || (main && !slots?.main)) && (
            <Group gap="xs" className={classes.actions}>
              {buttons.map((action) => (
                <MoreButton key={action.label} {...action} />
              ))}
              {actions}
              {!slots?.main && main}
              {rest.length > 0 && <MoreMenu actions={rest} />}
            </Group>
          )}
        </Group>
        {about && (
          <Text component="div" c="dimmed" maw="110ch" className={classes.about}>
            {about}
          </Text>
        )}
      </Stack>
      <WayBack value={back ?? null}>{children}</WayBack>
    </Stack>
  )
}

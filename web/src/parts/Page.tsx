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
import { TopLineSlots } from './top-line-slots.ts'
import { useArrival } from './use-arrival.ts'

/** The parts of a page read here where it leads back to, for when they find nothing. */
export const WayBack = createContext<PageProps['back'] | null>(null)

interface PageProps {
  title: string
  /** This stands beside the title: a state, say. */
  beside?: ReactNode
  /** One sentence below the title gives the purpose of the page. */
  about?: ReactNode
  actions?: ReactNode
  /** The main button stands in the line above the page, on a phone beside the title. */
  main?: ReactNode
  back?: PageAbove
  children: ReactNode
}

export function Page({ title, beside, about, actions, main, back, children }: PageProps) {
  const slots = use(TopLineSlots)
  const heading = useArrival()
  useDocumentTitle(`${title} · Facteur`)
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        {slots === null && back && <BackLink back={back} />}
        {slots?.crumbs && createPortal(<Crumbs back={back} />, slots.crumbs)}
        {slots?.main && createPortal(main, slots.main)}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="sm" miw={0}>
            <Title order={1} ref={heading} tabIndex={-1}>
              <Addressed>{title}</Addressed>
            </Title>
            {beside}
          </Group>
          {(actions || (main && !slots?.main)) && (
            <Group gap="xs">
              {actions}
              {!slots?.main && main}
            </Group>
          )}
        </Group>
        {about && (
          <Text c="dimmed" maw="70ch">
            {about}
          </Text>
        )}
      </Stack>
      <WayBack value={back ?? null}>{children}</WayBack>
    </Stack>
  )
}

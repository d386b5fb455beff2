/**
 * The frame of every page has its title, which screen readers announce on arrival, its actions, and
 * the way back.
 */
import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { createContext, useEffect, useRef, type ReactNode } from 'react'
import { Addressed } from './Addressed.tsx'
import { Icon } from './Icon.tsx'
import { PageLink } from './links.tsx'

/** The parts of a page read here where it leads back to, for when they find nothing. */
export const WayBack = createContext<PageProps['back'] | null>(null)

interface PageProps {
  title: string
  /** This stands beside the title: a state, say. */
  beside?: ReactNode
  /** One sentence below the title gives the purpose of the page. */
  about?: ReactNode
  actions?: ReactNode
  back?: { to: string; label: string }
  children: ReactNode
}

export function Page({ title, beside, about, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(`${title} · Facteur`)
  // Keyboards and screen readers begin where the new page does (WCAG 2.4.3).
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        {back && (
          <PageLink to={back.to} size="sm" c="dimmed">
            <Group gap={4} component="span" display="inline-flex">
              <Icon name="back" size={14} />
              {back.label}
            </Group>
          </PageLink>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="sm" miw={0}>
            <Title order={1} ref={heading} tabIndex={-1}>
              <Addressed>{title}</Addressed>
            </Title>
            {beside}
          </Group>
          {actions && <Group gap="xs">{actions}</Group>}
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

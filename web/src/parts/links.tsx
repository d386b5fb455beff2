/**
 * Links lead to our own pages: `emails/123` is a page of the current workspace, `/account` one
 * below /app.
 */
import {
  Anchor,
  Button,
  Menu,
  type AnchorProps,
  type ButtonProps,
  type MenuItemProps,
} from '@mantine/core'
import { createLink, useNavigate, useParams } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Icon } from './Icon.tsx'

const RoutedAnchor = createLink(Anchor<'a'>)
/**
 * A link as a button; by itself it leads out of the pages of the workspace, to the reference, say.
 */
export const AnchorButton = (
  props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>,
): ReactNode => <Button component="a" {...props} />
const RoutedButton = createLink(AnchorButton)
const RoutedItem = createLink(
  (props: MenuItemProps & Omit<ComponentProps<'a'>, keyof MenuItemProps>): ReactNode => (
    <Menu.Item component="a" {...props} />
  ),
)

interface Leads {
  to: string
  search?: Record<string, string>
  children: ReactNode
  onClick?: (event: MouseEvent) => void
  className?: string
  'aria-label'?: string
}

/** The address of a page, as the router wants it. */
export function usePlace(): (to: string) => string {
  const { slug } = useParams({ strict: false })
  return (to) => (to.startsWith('/') ? to : `/${encodeURIComponent(slug ?? '')}/${to}`)
}

/** Goes to a page once an act is done. */
export function useGo(): (to: string, search?: Record<string, string>) => Promise<void> {
  const locate = usePlace()
  const navigate = useNavigate()
  return (to, search = {}) => navigate({ to: locate(to), search })
}

export function PageLink({ to, ...rest }: Leads & AnchorProps) {
  return <RoutedAnchor to={usePlace()(to)} {...rest} />
}

export function ButtonLink({ to, ...rest }: Leads & ButtonProps) {
  return <RoutedButton to={usePlace()(to)} {...rest} />
}

/** An item of a menu. */
export function MenuLink({ to, ...rest }: Leads & MenuItemProps) {
  return <RoutedItem to={usePlace()(to)} {...rest} />
}

/** A link that downloads a file of the service. */
export function DownloadButton(props: {
  href: string
  children: ReactNode
  size?: ButtonProps['size']
}) {
  return (
    <AnchorButton
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      download
      {...props}
    />
  )
}

/** What a page leads to beside its main act: buttons in a row, or the items of one menu on a phone. */
import { ActionIcon, Button, Menu } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon, type IconName } from './Icon.tsx'
import { ButtonLink, DownloadButton, MenuLink } from './links.tsx'

export type PageAction = { label: string; icon?: IconName } & (
  | { to: string }
  /** A file of the service, to download. */
  | { href: string }
  | { onClick: () => void }
)

export function MoreButton({ label, icon, ...leads }: PageAction) {
  if ('href' in leads) return <DownloadButton href={leads.href}>{label}</DownloadButton>
  const style = { variant: 'default', leftSection: icon && <Icon name={icon} size={16} /> }
  if ('onClick' in leads)
    return (
      <Button {...style} onClick={leads.onClick}>
        {label}
      </Button>
    )
  return (
    <ButtonLink to={leads.to} {...style}>
      {label}
    </ButtonLink>
  )
}

export function MoreMenu({ actions }: { actions: readonly PageAction[] }) {
  const { t } = useTranslation('shell')
  return (
    <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('actions')}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <MoreItem key={action.label} {...action} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function MoreItem({ label, icon, ...leads }: PageAction) {
  const picture = icon && <Icon name={icon} size={16} />
  if ('to' in leads)
    return (
      <MenuLink to={leads.to} leftSection={picture}>
        {label}
      </MenuLink>
    )
  if ('href' in leads)
    return (
      <Menu.Item component="a" href={leads.href} download leftSection={picture}>
        {label}
      </Menu.Item>
    )
  return (
    <Menu.Item leftSection={picture} onClick={leads.onClick}>
      {label}
    </Menu.Item>
  )
}

/**
 * The menu shows the user's workspaces above, the pages of the workspace in the middle, and the
 * user's account below.
 */
import { Box, CloseButton, Group, Menu, Stack, UnstyledButton } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import { useWorkspace } from '../api/use-role.ts'
import icon from '../icon.svg'
import { Icon } from '../parts/Icon.tsx'
import { usePlace } from '../parts/links.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { mainEntries } from './menu-entries.ts'
import classes from './Menu.module.css'

/** `children` stand above the user's account. */
export function SideMenu({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('shell')
  const { data } = useAsk('listMyWorkspaces')
  const isKnown = useWorkspace() !== undefined || data === undefined
  return (
    <Stack h="100%" gap={0}>
      <Group p="sm" wrap="nowrap" gap="xs">
        <WorkspaceSwitcher />
        <CloseButton hiddenFrom="sm" onClick={onClose} aria-label={t('closeMenu')} />
      </Group>
      {/* A workspace that is not there, or not the user's, has no pages to lead to. */}
      <Box className={classes.scroll}>{isKnown && <Entries />}</Box>
      {children}
      <AccountMenu />
    </Stack>
  )
}

function Entries() {
  return (
    <ul className={classes.list}>
      {mainEntries.map((name) => (
        <Entry key={name} name={name} />
      ))}
      <Entry name="settings" />
    </ul>
  )
}

function Entry({ name }: { name: (typeof mainEntries)[number] | 'settings' }) {
  const { t } = useTranslation('shell')
  const locate = usePlace()
  return (
    <li>
      <Link
        to={locate(name)}
        className={classes.entry}
        activeProps={{ 'aria-current': 'page' }}
        activeOptions={{ includeSearch: false }}
      >
        <Icon name={name} />
        {t(name)}
      </Link>
    </li>
  )
}

/** The button names the workspace and leads to the others. */
function WorkspaceSwitcher() {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { data } = useAsk('listMyWorkspaces')
  const mine = useWorkspace()
  return (
    <Menu position="bottom-start" width={232}>
      <Menu.Target>
        <UnstyledButton className={classes.trigger}>
          <img src={icon} alt="" width={26} height={26} />
          <span className={classes.name}>{mine?.name ?? 'Facteur'}</span>
          <Icon name="choose" size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('workspaces')}</Menu.Label>
        {data?.data.map((workspace) => (
          <Menu.Item
            key={workspace.slug}
            onClick={() =>
              void navigate({ to: '/$slug/overview', params: { slug: workspace.slug } })
            }
            rightSection={workspace === mine ? <Icon name="check" size={16} /> : null}
            aria-current={workspace === mine}
          >
            {workspace.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => void navigate({ to: '/new-workspace' })}
        >
          {t('newWorkspace')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

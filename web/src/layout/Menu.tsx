/** The menu: the workspaces of the user above, their own affairs below, and between them what the workspace has. */
import { Box, CloseButton, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../api/use-role.ts'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { usePlace } from '../parts/links.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import classes from './Menu.module.css'
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx'

/** What each leads to, below the workspace; words are in the texts of the shell, by the same key. */
const mainEntries = ['overview', 'subscribers', 'emails', 'campaigns', 'suppression', 'captured', 'webhooks'] as const
const settingsEntries = [
  ...(['keys', 'domains', 'senders', 'forms', 'plan', 'tracking', 'languages', 'general', 'members', 'audit'] as const),
]

/** `children`: above the user's own affairs. */
export function Menu({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('shell')
  const isOwner = useMay('owner')
  return (
    <Stack h="100%" gap={0}>
      <Group p="sm" wrap="nowrap" gap="xs">
        <WorkspaceSwitcher />
        <CloseButton hiddenFrom="sm" onClick={onClose} aria-label={t('closeMenu')} />
      </Group>
      <Box className={classes.scroll}>
        <ul className={classes.list}>
          {mainEntries.map((name) => (
            <Entry key={name} name={name} to={name} icon={name} />
          ))}
        </ul>
        <Text size="md" className={classes.group} id="settings-group">
          {t('settings')}
        </Text>
        <ul className={classes.list} aria-labelledby="settings-group">
          {settingsEntries
            .filter((name) => name !== 'audit' || isOwner)
            .map((name) => (
              <Entry key={name} name={name} to={`settings/${name}`} />
            ))}
        </ul>
      </Box>
      {children}
      <AccountMenu />
    </Stack>
  )
}

function Entry({ name, to, icon }: { name: string; to: string; icon?: IconName }) {
  const { t } = useTranslation('shell')
  const place = usePlace()
  return (
    <li>
      <Link
        to={place(to)}
        className={classes.entry}
        activeProps={{ 'aria-current': 'page' }}
        activeOptions={{ includeSearch: false }}
      >
        {icon && <Icon name={icon} />}
        {t(name)}
      </Link>
    </li>
  )
}

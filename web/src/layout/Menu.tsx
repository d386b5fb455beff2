/** The menu: the workspaces of the user above, their own affairs below, and between them what the workspace has. */
import { Box, CloseButton, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../api/use-role.ts'
import { Icon } from '../parts/Icon.tsx'
import { usePlace } from '../parts/links.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import classes from './Menu.module.css'
import { mainEntries, settingsEntries, type NavEntry } from './nav.ts'
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx'

/** `children`: above the user's own affairs. */
export function Menu({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('shell')
  return (
    <Stack h="100%" gap={0}>
      <Group p="sm" wrap="nowrap" gap="xs">
        <WorkspaceSwitcher />
        <CloseButton hiddenFrom="sm" onClick={onClose} aria-label={t('closeMenu')} />
      </Group>
      <Box className={classes.scroll}>
        <Entries entries={mainEntries} />
        {settingsEntries.length > 0 && (
          <>
            <Text size="md" className={classes.group} id="settings-group">
              {t('settings')}
            </Text>
            <Entries entries={settingsEntries} labelledBy="settings-group" />
          </>
        )}
      </Box>
      {children}
      <AccountMenu />
    </Stack>
  )
}

function Entries({ entries, labelledBy }: { entries: readonly NavEntry[]; labelledBy?: string }) {
  return (
    <ul className={classes.list} aria-labelledby={labelledBy}>
      {entries.map((entry) => (
        <Entry key={entry.key} entry={entry} />
      ))}
    </ul>
  )
}

function Entry({ entry: { key, to, icon, role = 'viewer' } }: { entry: NavEntry }) {
  const { t } = useTranslation('shell')
  const place = usePlace()
  const may = useMay(role)
  if (role !== 'viewer' && !may) return null
  return (
    <li>
      <Link
        to={place(to)}
        className={classes.entry}
        activeProps={{ 'aria-current': 'page' }}
        activeOptions={{ includeSearch: false }}
      >
        {icon && <Icon name={icon} />}
        {t(key)}
      </Link>
    </li>
  )
}

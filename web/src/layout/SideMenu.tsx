/**
 * The menu shows the user's workspaces above, the pages of the workspace in the middle, and the
 * user's account below.
 */
import { Box, CloseButton, Group, Menu, Stack, Text, UnstyledButton } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import { useMay, useWorkspace } from '../api/use-role.ts'
import icon from '../icon.svg'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { usePlace } from '../parts/links.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import classes from './Menu.module.css'

/** Each entry is a path below the workspace, and the key of its words in the texts of the shell. */
const mainEntries = [
  'overview',
  'subscribers',
  'emails',
  'campaigns',
  'suppression',
  'captured',
  'webhooks',
] as const
const settingsEntries = [
  ...([
    'keys',
    'requests',
    'domains',
    'senders',
    'forms',
    'plan',
    'tracking',
    'retention',
    'languages',
    'general',
    'members',
    'audit',
  ] as const),
]

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
  const { t } = useTranslation('shell')
  const isOwner = useMay('owner')
  return (
    <>
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
          .filter((name) => (name !== 'audit' && name !== 'requests') || isOwner)
          .map((name) => (
            <Entry key={name} name={name} to={`settings/${name}`} />
          ))}
      </ul>
    </>
  )
}

function Entry({ name, to, icon: picture }: { name: string; to: string; icon?: IconName }) {
  const { t } = useTranslation('shell')
  const locate = usePlace()
  return (
    <li>
      <Link
        to={locate(to)}
        className={classes.entry}
        activeProps={{ 'aria-current': 'page' }}
        activeOptions={{ includeSearch: false }}
      >
        {picture && <Icon name={picture} />}
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

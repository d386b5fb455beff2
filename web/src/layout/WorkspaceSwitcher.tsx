/** Which workspace this is, and the way to the others. */
import { Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../api/use-ask.ts'
import { useWorkspace } from '../api/use-role.ts'
import icon from '../icon.svg'
import { Icon } from '../parts/Icon.tsx'
import classes from './Menu.module.css'

export function WorkspaceSwitcher() {
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
            onClick={() => void navigate({ to: '/$slug/overview', params: { slug: workspace.slug } })}
            rightSection={workspace === mine ? <Icon name="check" size={16} /> : null}
            aria-current={workspace === mine}
          >
            {workspace.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => void navigate({ to: '/new-workspace' })}>
          {t('newWorkspace')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

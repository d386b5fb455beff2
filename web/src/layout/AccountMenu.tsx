/** The menu holds the user's account: language, appearance, and the API reference. */
import {
  Menu,
  SegmentedControl,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../api/use-ask.ts'
import { changeLanguage, languageNow, languageOptions, type Language } from '../language.ts'
import { deleteUnsaved } from '../pages/campaigns/editor/unsaved-store.ts'
import { Icon } from '../parts/Icon.tsx'
import classes from './Menu.module.css'

export function AccountMenu() {
  const { t } = useTranslation('shell')
  const { data } = useAsk('getSession')
  const navigate = useNavigate()
  const signOut = useAct('signOut')
  const leave = async (): Promise<void> => {
    await signOut.mutateAsync({})
    deleteUnsaved()
    window.location.assign('/app/sign-in')
  }
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <div className={classes.foot}>
      <Menu position="top-start" width={232} closeOnItemClick={false}>
        <Menu.Target>
          <UnstyledButton className={classes.trigger}>
            <Icon name="user" />
            <span className={classes.name}>{data?.person.email ?? t('account')}</span>
            <Icon name="choose" size={16} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Stack gap={6} p="xs">
            <Text size="xs" c="dimmed" id="choose-language">
              {t('language')}
            </Text>
            <SegmentedControl<Language>
              size="xs"
              aria-labelledby="choose-language"
              value={languageNow()}
              onChange={(language) => void changeLanguage(language)}
              data={languageOptions}
            />
            <Text size="xs" c="dimmed" id="choose-theme">
              {t('theme')}
            </Text>
            <SegmentedControl<MantineColorScheme>
              size="xs"
              aria-labelledby="choose-theme"
              value={colorScheme}
              onChange={setColorScheme}
              data={(['auto', 'light', 'dark'] as const).map((value) => ({
                value,
                label: t(value),
              }))}
            />
          </Stack>
          <Menu.Divider />
          <Menu.Item
            closeMenuOnClick
            onClick={() => void navigate({ to: '/account' })}
            leftSection={<Icon name="user" size={16} />}
          >
            {t('account')}
          </Menu.Item>
          <Menu.Item component="a" href="/docs" leftSection={<Icon name="external" size={16} />}>
            {t('reference')}
          </Menu.Item>
          <Menu.Item
            onClick={() => void leave().catch(() => undefined)}
            leftSection={<Icon name="back" size={16} />}
          >
            {t('signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

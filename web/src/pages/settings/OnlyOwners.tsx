/** Explains to members who are no owners why they can change nothing here. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'

export function OnlyOwners() {
  const { t } = useTranslation('settings')
  const { data } = useAsk('listMyWorkspaces')
  const mayChange = useMay('owner')
  return data && !mayChange ? <Text c="dimmed">{t('onlyOwners')}</Text> : null
}

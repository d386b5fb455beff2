/** Two fields filter a list by its days; they live in the page's address. */
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useDayFields } from './use-range.ts'

export function DayFields() {
  const { t } = useTranslation('shell')
  const { from, to } = useDayFields()
  return (
    <>
      <TextInput type="date" label={t('fromDay')} {...from} />
      <TextInput type="date" label={t('toDay')} {...to} />
    </>
  )
}

/** The user chooses here which topics a form asks for. */
import { MultiSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'

interface FormTopicsProps {
  /** Identifiers, in the order of the form. */
  value: string[]
  onChange: (topics: string[]) => void
  disabled: boolean
}

/** Nothing, where the workspace has no topics. */
export function FormTopics({ value, onChange, disabled }: FormTopicsProps) {
  const { t } = useTranslation('settings')
  const { data } = useAsk('listTopics')
  if (!data || data.data.length === 0) return null
  return (
    <MultiSelect
      label={t('formTopics')}
      description={t('formTopicsWhy')}
      data={data.data.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      disabled={disabled}
    />
  )
}

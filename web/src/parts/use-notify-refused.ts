/** Says for a few seconds why an act was refused, where no form shows it. */
import { useTranslation } from 'react-i18next'
import { notifyRefused } from './notify.ts'
import { sayWhat } from './refusal-words.ts'

export function useNotifyRefused(): (error: unknown) => void {
  const { t } = useTranslation('shell')
  return (error) => notifyRefused(sayWhat(error, t))
}

/** What became of a captured mail's recipient, in the words of the log. */
import { useTranslation } from 'react-i18next'
import { StateBadge } from '../../parts/StateBadge.tsx'

export function CapturedWord({ status }: { status: string }) {
  const { t } = useTranslation('emails')
  return <StateBadge t={t} prefix="status" state={status} />
}

/** What became of a captured mail's recipient, in the words of the log. */
import { useTranslation } from 'react-i18next'
import { Status } from '../../parts/Status.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { toneOf } from '../../parts/state-tones.ts'

export function CapturedWord({ status }: { status: string }) {
  const { t } = useTranslation('emails')
  return <Status tone={toneOf(status)}>{t(keyOf('status', status))}</Status>
}

/** What became of a captured mail's recipient, in the words of the log. */
import { useTranslation } from 'react-i18next'
import { Status } from '../../parts/Status.tsx'
import { eventWords } from '../emails/words.ts'

export function CapturedWord({ status }: { status: string }) {
  const { t } = useTranslation('emails')
  const [, word] = Object.entries(eventWords).find(([known]) => known === status) ?? []
  return word ? <Status tone={word.tone}>{t(word.key)}</Status> : null
}

/** Whether a check found anything wrong, in a sentence. */
import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { FindingLine } from './finding-lines.ts'

export function Verdict({
  lines,
  children,
}: {
  lines: readonly FindingLine[]
  children?: ReactNode
}) {
  const { t } = useTranslation('drafts')
  const countOfTone = (ofTone: FindingLine['tone']): number =>
    lines.filter(({ tone }) => tone === ofTone).length
  const [bad, warnings] = [countOfTone('bad'), countOfTone('warning')]
  const color = bad > 0 ? 'red' : warnings > 0 ? 'yellow' : 'teal'
  const title =
    bad > 0
      ? t('checkBad', { count: bad })
      : warnings > 0
        ? t('checkWarned', { count: warnings })
        : t('checkGood')
  return (
    <Alert color={color} role="status" title={title}>
      {children}
    </Alert>
  )
}

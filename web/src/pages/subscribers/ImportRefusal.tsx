/**
 * Why the service did not take a file: the pages have words for known reasons; any other error
 * shows its own message.
 */
import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Refusal } from '../../api/refusal.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'

export function ImportRefusal({ error }: { error: unknown }) {
  const { t } = useTranslation('subscribers')
  if (!(error instanceof Refusal)) return <Failure error={error} />
  const { reason, line } = error.details
  const title = t(keyOf('fileRefused', String(reason)), {
    line: typeof line === 'number' ? line : '',
    defaultValue: '',
  })
  if (title === '') return <Failure error={error} />
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={title}>
      {t('fileRefusedHelp')}
    </Alert>
  )
}

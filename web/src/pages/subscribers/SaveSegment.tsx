/** Makes a segment of what the list is filtered by, and shows it in the list. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SaveSegmentDialog } from './bulk/SaveSegmentDialog.tsx'
import type { Matching } from './bulk/selection.ts'

export function SaveSegment({
  matching,
  onSaved,
}: {
  matching: Matching
  onSaved: (id: string) => void
}) {
  const { t } = useTranslation('bulk')
  const [opened, setOpened] = useState(false)
  const close = (): void => setOpened(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('saveSegment')}
      </Button>
      <SaveSegmentDialog
        selection={{ matching, total: { count: 0, more: false } }}
        {...{ opened, onClose: close, onDone: close, onSaved }}
      />
    </>
  )
}

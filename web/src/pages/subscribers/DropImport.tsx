/** A CSV file that is dropped anywhere on the page of subscribers begins an import. */
import { Stack } from '@mantine/core'
import { useState, type DragEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Uploading } from '../../parts/Uploading.tsx'
import { ImportRefusal } from './ImportRefusal.tsx'
import classes from './Subscribers.module.css'
import { useImportUpload } from './use-import-upload.ts'

const hasFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')

export function DropImport({ mayEdit, children }: { mayEdit: boolean; children: ReactNode }) {
  const { t } = useTranslation('subscribers')
  const { take, isPending, upload, name, error } = useImportUpload()
  const [isOver, setOver] = useState(false)
  if (!mayEdit) return <Stack gap="lg">{children}</Stack>
  return (
    <Stack
      gap="lg"
      data-drop
      className={isOver ? classes.over : undefined}
      onDragOver={(event) => {
        if (!hasFile(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!hasFile(event)) return
        event.preventDefault()
        setOver(false)
        const [file] = event.dataTransfer.files
        if (file && !isPending) take(file)
      }}
    >
      {isPending && <Uploading label={t('uploading', { name })} upload={upload} />}
      <ImportRefusal error={error} />
      {children}
    </Stack>
  )
}

/**
 * A CSV file that is dropped anywhere on the page of subscribers begins an import. A file that is
 * not taken does not replace the page either.
 */
import { Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useFileProblem } from '../../parts/FileDrop.tsx'
import { Uploading } from '../../parts/Uploading.tsx'
import { ImportRefusal } from './ImportRefusal.tsx'
import classes from './Subscribers.module.css'
import { importAccept, useImportUpload } from './use-import-upload.ts'

export function DropImport({ mayEdit, children }: { mayEdit: boolean; children: ReactNode }) {
  const { t } = useTranslation('subscribers')
  const { take, isPending, upload, name, error } = useImportUpload()
  const problemOf = useFileProblem({
    ...{ accept: importAccept, bytesMax: audienceLimits.importFileBytes },
  })
  const [problem, setProblem] = useState<string | null>(null)
  const isOver = useFileDrop((files) => {
    const [file] = files
    // What lies on a dialog is not for the page beneath.
    if (!mayEdit || !file || document.querySelector('[role="dialog"]')) return
    const wrong = isPending || files.length > 1 ? t('oneFile') : problemOf(file)
    setProblem(wrong)
    if (wrong === null) take(file)
  })
  return (
    <Stack gap="lg" data-drop className={isOver && mayEdit ? classes.over : undefined}>
      {isPending && <Uploading label={t('uploading', { name })} upload={upload} />}
      {problem !== null && (
        <Text c="red.9" role="alert">
          {problem}
        </Text>
      )}
      <ImportRefusal error={error} />
      {children}
    </Stack>
  )
}

const hasFile = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true

/** Answers whether files are above the window: they enter and leave each element in turn. */
function useFileDrop(onDrop: (files: File[]) => void): boolean {
  const [entered, setEntered] = useState(0)
  useWindowEvent('dragenter', (event) => {
    if (hasFile(event)) setEntered((before) => before + 1)
  })
  useWindowEvent('dragleave', (event) => {
    if (hasFile(event)) setEntered((before) => Math.max(0, before - 1))
  })
  useWindowEvent('dragover', (event) => {
    if (hasFile(event)) event.preventDefault()
  })
  useWindowEvent('drop', (event) => {
    if (!hasFile(event)) return
    event.preventDefault()
    setEntered(0)
    onDrop([...(event.dataTransfer?.files ?? [])])
  })
  return entered > 0
}

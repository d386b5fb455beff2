/** Takes the file of an import and goes to its page, for the list and the page of imports. */
import { useState } from 'react'
import { useAct } from '../../api/use-ask.ts'
import { useGo } from '../../parts/links.tsx'
import { useUpload } from '../../parts/Uploading.tsx'
import { readAsUtf8 } from './read-as-utf8.ts'

/** Spreadsheets give their files any of these names. */
export const importAccept = '.csv,.tsv,.txt,text/csv'

export function useImportUpload() {
  const go = useGo()
  const { mutateAsync, isPending } = useAct('uploadImport', { refresh: ['listImports'] })
  const upload = useUpload()
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const take = async (dropped: File): Promise<void> => {
    setName(dropped.name)
    setError(null)
    try {
      const { file, was } = await readAsUtf8(dropped)
      const { id } = await mutateAsync({
        query: { name: dropped.name.slice(0, 255) },
        file,
        ...upload.begin(file),
      })
      await go(`subscribers/import/${id}`, was === null ? {} : { was })
    } catch (refusal) {
      setError(refusal)
    }
  }
  return { take: (file: File) => void take(file), isPending, upload, name, error }
}

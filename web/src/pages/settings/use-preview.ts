/** What the service makes of a form that is being written: asked a moment after the last stroke, the one before shown meanwhile. */
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { requestOf, type FormDraft } from './form-draft.ts'
import type { Language } from '../../language.ts'

export interface PreviewState {
  data: Got<'previewForm'> | null
  error: Error | null
}

/** `language`: of the page; null is the workspace's. */
export function usePreview(draft: FormDraft, language: Language | null): PreviewState {
  const [paused] = useDebouncedValue(draft, 300)
  const { data, error } = useAsk('previewForm', { query: language ? { language } : {}, body: requestOf(paused, true) })
  const [last, setLast] = useState<Got<'previewForm'> | null>(null)
  // What is derived of the last answer is kept while the next is on its way (React: adjusting state when a value changes).
  if (data && data !== last) setLast(data)
  return { data: data ?? last, error }
}

/** Edits formatted words; the browser loads the editor when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { RichTextProps } from './RichTextEditor.tsx'

const load = () => import('./RichTextEditor.tsx')
const RichTextEditor = lazy(load)

/** The page loads the editor before the first block needs it, so that no typing waits. */
export const fetchRichText = (): void => void load().catch(() => undefined)

export function RichText(props: RichTextProps) {
  return (
    <div data-words>
      <Suspense fallback={<Skeleton height={40} />}>
        <RichTextEditor {...props} />
      </Suspense>
    </div>
  )
}

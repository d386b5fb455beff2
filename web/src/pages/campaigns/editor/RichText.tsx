/** Words with looks; its editor is loaded when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'

const RichTextEditor = lazy(() => import('./RichTextEditor.tsx'))

export interface RichTextProps {
  label: string
  look: 'paragraph' | 'heading' | 'quote' | 'bullets' | 'ordered'
  /** Of a heading. */
  level?: number
  /** One for each item of a list; otherwise one. */
  lines: readonly string[]
  onChange: (lines: string[]) => void
}

export function RichText(props: RichTextProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={40} />}>
      <RichTextEditor {...props} />
    </Suspense>
  )
}

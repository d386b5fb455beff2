/** Words with looks; its editor is loaded when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'
import type { RichTextProps } from './RichTextEditor.tsx'

const RichTextEditor = lazy(() => import('./RichTextEditor.tsx'))

export function RichText(props: RichTextProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={40} />}>
      <RichTextEditor {...props} />
    </Suspense>
  )
}

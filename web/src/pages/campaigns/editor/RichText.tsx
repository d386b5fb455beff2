/** Words with looks; its editor is loaded when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { RichTextProps } from './RichTextEditor.tsx'

const load = () => import('./RichTextEditor.tsx')
const RichTextEditor = lazy(load)

/** Ahead of the first block, so that what is typed into it finds it there. */
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

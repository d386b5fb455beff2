/** Edits formatted words; the browser loads the editor when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { writeInline } from './inline-format.ts'
import classes from './RichText.module.css'
import type { RichTextProps } from './RichTextEditor.tsx'

const load = () => import('./RichTextEditor.tsx')
const RichTextEditor = lazy(load)

/** The page loads the editor before the first block needs it. */
export const fetchRichText = (): void => void load().catch(() => undefined)

export function RichText(props: RichTextProps) {
  const wasTypedIn = useRef(false)
  const [isEmpty] = useState(() => props.lines.every((line) => line === ''))
  const waiting = isEmpty ? <FirstWords {...props} wasTypedIn={wasTypedIn} /> : <Skeleton height={40} />
  return (
    <div data-words>
      <Suspense fallback={waiting}>
        <RichTextEditor {...props} wasTypedIn={wasTypedIn} />
      </Suspense>
    </div>
  )
}

/** Takes what the user types into a new block while the browser still loads its editor, which goes on from there. */
function FirstWords({ label, onChange, wasTypedIn }: RichTextProps & { wasTypedIn: RefObject<boolean> }) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [words, setWords] = useState('')
  useLayoutEffect(() => {
    const { current } = area
    return () => void (wasTypedIn.current = current !== null && current === document.activeElement)
  }, [wasTypedIn])
  return (
    <textarea
      ref={area}
      className={classes.firstWords}
      aria-label={label}
      rows={1}
      value={words}
      onChange={({ currentTarget: { value } }) => {
        setWords(value)
        onChange(value.split('\n').map((text) => writeInline([{ text, bold: false, italic: false, href: null }])))
      }}
    />
  )
}

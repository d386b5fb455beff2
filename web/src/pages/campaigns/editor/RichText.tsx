/** Edits formatted words; the browser loads the editor when the first block needs it. */
import { Skeleton } from '@mantine/core'
import { Suspense, lazy, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { writeInline } from './inline-format.ts'
import classes from './RichText.module.css'
import type { RichTextProps } from './RichTextEditor.tsx'

const load = () => import('./RichTextEditor.tsx')
const RichTextEditor = lazy(load)

/** The page loads the editor before the first block needs it. */
export const fetchRichText = (): void => void load().catch(() => undefined)

export function RichText(props: RichTextProps) {
  const wasTypedIn = useRef(false)
  const takeTyping = (): boolean => {
    const { current } = wasTypedIn
    wasTypedIn.current = false
    return current
  }
  const [isEmpty] = useState(() => props.lines.every((line) => line === ''))
  const waiting = isEmpty ? (
    <FirstWords {...props} onGone={(isTypedIn) => (wasTypedIn.current = isTypedIn)} />
  ) : (
    <Skeleton height={40} />
  )
  return (
    <div data-words>
      <Suspense fallback={waiting}>
        <RichTextEditor {...props} takeTyping={takeTyping} />
      </Suspense>
    </div>
  )
}

/**
 * Takes what the user types into a new block while the browser still loads its editor, which goes
 * on from there.
 */
function FirstWords({
  label,
  onChange,
  onGone,
}: RichTextProps & { onGone: (isTypedIn: boolean) => void }) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [words, setWords] = useState('')
  const leave = useEffectEvent(onGone)
  useLayoutEffect(() => {
    const { current } = area
    return () => leave(current !== null && current === document.activeElement)
  }, [])
  return (
    <textarea
      ref={area}
      className={classes.firstWords}
      aria-label={label}
      rows={1}
      value={words}
      onChange={({ currentTarget: { value } }) => {
        setWords(value)
        onChange(
          value
            .split('\n')
            .map((text) => writeInline([{ text, bold: false, italic: false, href: null }])),
        )
      }}
    />
  )
}

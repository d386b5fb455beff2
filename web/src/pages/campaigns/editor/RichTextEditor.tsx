/**
 * Edits a few formatted lines in place: bold, italic, links, merge tags, by buttons and by the
 * usual keys.
 */
import { Button, Group, TextInput } from '@mantine/core'
import { Editor } from '@tiptap/core'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../parts/Icon.tsx'
import { ToolButton } from '../../../parts/IconButton.tsx'
import { MergePicker } from './MergeField.tsx'
import classes from './RichText.module.css'
import { extensionsFor, readLines, writeLines } from './rich-document.ts'

export interface RichTextProps {
  label: string
  blockStyle: 'paragraph' | 'heading' | 'quote' | 'bullets' | 'ordered'
  /** The level of a heading. */
  level?: number
  /** A list has one line for each item; any other block has one line. */
  lines: readonly string[]
  onChange: (lines: string[]) => void
}

const plainStyle = { bold: false, italic: false, link: false }

interface EditorProps extends RichTextProps {
  /**
   * Whether the user typed into the block before this editor was there, and types on; true once.
   */
  takeTyping: () => boolean
}

export default function RichTextEditor({
  label,
  blockStyle,
  level = 1,
  lines,
  onChange,
  takeTyping,
}: EditorProps) {
  const isList = blockStyle === 'bullets' || blockStyle === 'ordered'
  const elementRef = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor | null>(null)
  const [active, setActive] = useState(plainStyle)
  // A change calls the newest handler, because the editor lives longer than one rendering.
  const onLastChange = useEffectEvent(onChange)
  const isTypedIn = useEffectEvent(takeTyping)
  const written = useRef(lines)

  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (!elementRef.current) return undefined
    const created = new Editor({
      element: elementRef.current,
      extensions: extensionsFor(isList),
      content: readLines(written.current),
      injectCSS: false,
      // Signs are signs: 5 * 3 * 2 is a sum.
      enableInputRules: false,
      enablePasteRules: false,
      editorProps: {
        attributes: {
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-label': label,
          class: classes.words ?? '',
        },
        // The browser's own undo has one history of the whole page, and would undo older text here.
        handleDOMEvents: {
          beforeinput(_, event) {
            if (event.inputType.startsWith('history')) event.preventDefault()
            return false
          },
        },
      },
      onUpdate({ editor: now }) {
        written.current = writeLines(now.getJSON())
        onLastChange([...written.current])
      },
      onTransaction: ({ editor: now }) =>
        setActive({
          bold: now.isActive('bold'),
          italic: now.isActive('italic'),
          link: now.isActive('link'),
        }),
    })
    setEditor(created)
    if (isTypedIn()) {
      created.view.focus()
      created.commands.setTextSelection(created.state.doc.content.size)
    }
    return () => created.destroy()
  }, [isList, label])

  // Another version or an undo changes the lines from outside the editor.
  useEffect(() => {
    if (!editor || lines.join('\n\0') === written.current.join('\n\0')) return
    written.current = lines
    editor.commands.setContent(readLines(lines), { emitUpdate: false })
  }, [editor, lines])

  return (
    <div className={classes.frame}>
      <div ref={elementRef} className={classes.place} data-look={blockStyle} data-level={level} />
      {editor && <Tools editor={editor} active={active} label={label} />}
    </div>
  )
}

function Tools({
  editor,
  active,
  label,
}: {
  editor: Editor
  active: typeof plainStyle
  label: string
}) {
  const { t } = useTranslation('drafts')
  const [address, setAddress] = useState<string | null>(null)
  const apply = (href: string): void => {
    const chain = editor.chain().focus().extendMarkRange('link')
    if (href.trim() === '') chain.unsetLink().run()
    else if (editor.state.selection.empty && !active.link)
      chain
        .insertContent({
          type: 'text',
          text: href.trim(),
          marks: [{ type: 'link', attrs: { href: href.trim() } }],
        })
        .run()
    else chain.setLink({ href: href.trim() }).run()
    setAddress(null)
  }
  return (
    <div className={classes.tools} role="toolbar" aria-label={t('toolsOf', { what: label })}>
      <Tool
        label={t('bold')}
        pressed={active.bold}
        onClick={() => editor.chain().focus().toggleBold().run()}
      >
        <b aria-hidden>B</b>
      </Tool>
      <Tool
        label={t('italic')}
        pressed={active.italic}
        onClick={() => editor.chain().focus().toggleItalic().run()}
      >
        <i aria-hidden>I</i>
      </Tool>
      <Tool
        label={t('link')}
        pressed={active.link}
        onClick={() =>
          setAddress(address === null ? String(editor.getAttributes('link')['href'] ?? '') : null)
        }
      >
        <Icon name="external" size={14} />
      </Tool>
      <MergePicker
        into={label}
        withAddresses
        onPick={(source) =>
          editor.chain().focus().insertContent({ type: 'mergeTag', attrs: { source } }).run()
        }
      />
      {address !== null && (
        <Group gap={6} wrap="nowrap" flex="1 1 14rem">
          <TextInput
            size="xs"
            flex={1}
            aria-label={t('leadsTo')}
            placeholder="https://"
            value={address}
            autoFocus
            onChange={(event) => setAddress(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault()
                apply(address)
              }
              if (event.key === 'Escape') setAddress(null)
            }}
          />
          <Button size="compact-xs" onClick={() => apply(address)}>
            {t('apply')}
          </Button>
        </Group>
      )}
    </div>
  )
}

function Tool({
  pressed,
  ...rest
}: {
  label: string
  pressed: boolean
  onClick: () => void
  children: ReactNode
}) {
  const blockStyle = pressed ? { variant: 'light', color: undefined } : {}
  // The words that are chosen stay chosen.
  return (
    <ToolButton
      size="sm"
      aria-pressed={pressed}
      onMouseDown={(event) => event.preventDefault()}
      {...blockStyle}
      {...rest}
    />
  )
}

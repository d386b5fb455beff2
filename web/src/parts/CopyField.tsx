/** Shows a value that the user selects, or copies with one press that confirms it. */
import { Group, Text } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './CopyField.module.css'
import { Icon } from './Icon.tsx'
import { ToolButton } from './IconButton.tsx'

export function CopyField({
  value,
  label,
  wrap = false,
}: {
  value: string
  label: string
  wrap?: boolean
}) {
  return (
    <Group gap={4} wrap="nowrap" className={classes.field}>
      <Text
        ff="monospace"
        className={wrap ? classes.wrapped : classes.line}
        title={wrap ? undefined : value}
      >
        {value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  )
}

/** A value that is drawn in its own way, beside the button that copies it. */
export function Copyable({
  children,
  ...copied
}: {
  value: string
  label: string
  children: ReactNode
}) {
  return (
    <Group component="span" display="inline-flex" gap={4} wrap="nowrap" miw={0}>
      {children}
      <CopyButton {...copied} />
    </Group>
  )
}

export function CopyButton({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation('shell')
  const [copied, setCopied] = useState(false)
  const name = copied ? t('copied') : t('copyWhat', { what: label })
  const button = useRef<HTMLButtonElement>(null)
  const onClick = async (): Promise<void> => {
    if (!(await copy(value, button.current))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <ToolButton ref={button} label={name} onClick={() => void onClick()}>
      <Icon name={copied ? 'check' : 'copy'} size={16} />
    </ToolButton>
  )
}

/** Without TLS, or without leave for the clipboard, the browser copies only selected text. */
async function copy(value: string, beside: HTMLElement | null): Promise<boolean> {
  if (
    window.isSecureContext &&
    (await navigator.clipboard.writeText(value).then(isDone, isNotDone))
  )
    return true
  const area = document.createElement('textarea')
  area.value = value
  // A dialog keeps the focus to itself, so the text area stands within it.
  beside?.after(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- there is no other way on http
  const done = document.execCommand('copy')
  area.remove()
  beside?.focus()
  return done
}

const isDone = (): boolean => true
const isNotDone = (): boolean => false

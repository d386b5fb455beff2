/**
 * Takes a dropped or chosen file, and refuses at once a file of another kind or one that is too
 * large.
 */
import { Button, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './FileDrop.module.css'
import { Icon } from './Icon.tsx'

interface AcceptedFile {
  /** As of `<input accept>`: `.csv,text/csv`. */
  accept: string
  bytesMax?: number | undefined
}

interface FileDropProps extends AcceptedFile {
  /** The label names the file to drop. */
  label: string
  onFile: (file: File) => void
  disabled?: boolean
}

export function FileDrop({ label, accept, bytesMax, onFile, disabled = false }: FileDropProps) {
  const { t } = useTranslation('shell')
  const problemOf = useFileProblem({ accept, bytesMax })
  const [over, setOver] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const take = (file: File | undefined): void => {
    if (!file || disabled) return
    const wrong = problemOf(file)
    setProblem(wrong)
    if (wrong === null) onFile(file)
  }
  return (
    <Stack
      className={classes.drop}
      data-over={over}
      align="center"
      gap="sm"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files[0])
      }}
    >
      <Icon name="upload" size={26} />
      <Text>{label}</Text>
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {t('chooseFile')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          take(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      {problem !== null && (
        <Text c="red.9" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  )
}

/** Says why a file is not taken; null: it is. */
export function useFileProblem({ accept, bytesMax = Infinity }: AcceptedFile) {
  const { t, i18n } = useTranslation('shell')
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 })
  return (file: File): string | null => {
    if (!isAccepted(file, accept)) return t('wrongKind', { kinds: sayKinds(accept, i18n.language) })
    return file.size > bytesMax
      ? t('tooLarge', { megabytes: number.format(bytesMax / 1_048_576) })
      : null
  }
}

/** `.csv,.txt,text/csv` as `CSV or TXT`, in the reader's language. */
function sayKinds(accept: string, language: string): string {
  const kinds = accept
    .split(',')
    .map((kind) => (/[^./]+$/.exec(kind.trim())?.[0] ?? '').toUpperCase())
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(new Set(kinds))
}

/**
 * Accepts a file by its name or its media type, because systems disagree about the types of files.
 */
function isAccepted(file: File, accept: string): boolean {
  return accept.split(',').some((kind) => {
    const type = kind.trim().toLowerCase()
    if (type.startsWith('.')) return file.name.toLowerCase().endsWith(type)
    return type.endsWith('/*') ? file.type.startsWith(type.slice(0, -1)) : file.type === type
  })
}

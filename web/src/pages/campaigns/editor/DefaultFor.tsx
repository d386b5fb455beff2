/** The field gives a merge tag a default where the check found readers without a value. */
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fallbackMax } from './merge-tag.ts'
import { sayTag } from './say-finding.ts'

/** Readers without the value get these words in its place. */
export function DefaultFor({ name, onUse }: { name: string; onUse: (fallback: string) => void }) {
  const { t } = useTranslation('drafts')
  const [fallback, setFallback] = useState('')
  return (
    <Group
      component="form"
      gap="xs"
      align="flex-end"
      onSubmit={(event) => {
        event.preventDefault()
        onUse(fallback.trim())
      }}
    >
      <TextInput
        size="xs"
        flex={1}
        label={t('defaultFor', { what: sayTag(name, t) })}
        value={fallback}
        maxLength={fallbackMax}
        onChange={(event) => setFallback(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={fallback.trim() === ''}>
        {t('defaultUse')}
      </Button>
    </Group>
  )
}

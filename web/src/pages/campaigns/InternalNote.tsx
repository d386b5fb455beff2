/**
 * The internal note of a campaign is no part of the mail; its input saves by itself, in any state
 * of the campaign.
 */
import { Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { noteMax } from 'virtual:contract'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'

export function InternalNote({ id }: { id: string }) {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const { data: run } = useAsk('getCampaignRun', { params: { id } })
  const [typed, setTyped] = useState<string | null>(null)
  const { mutate, error } = useAct('annotateCampaign', { refresh: ['getCampaignRun'] })
  const save = (internalNote: string): void => mutate({ params: { id }, body: { internalNote } })
  const saveLater = useDebouncedCallback(save, { delay: 900, flushOnUnmount: true })
  if (!run) return null
  const saved = run.campaign.internalNote ?? ''
  return (
    <Stack gap="xs">
      <Textarea
        label={t('internalNote')}
        description={t('internalNoteWhy')}
        value={typed ?? saved}
        maxLength={noteMax}
        readOnly={!mayEdit}
        autosize
        minRows={2}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          saveLater(event.currentTarget.value)
        }}
        onBlur={saveLater.flush}
      />
      {typed !== null && !error && (
        <Text size="sm" c="dimmed" role="status">
          {t(typed.trim() === saved ? 'saved' : 'saving')}
        </Text>
      )}
      <Failure error={error} retry={() => save(typed ?? saved)} />
    </Stack>
  )
}

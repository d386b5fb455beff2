/**
 * The bar changes selected contacts, or all that match: whom it is for is frozen when a dialog is
 * confirmed. Progress and results stand in `BulkProgress`.
 */
import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { bulkLimits } from 'virtual:contract'
import { useMay } from '../../api/use-role.ts'
import { focusNewestChange } from './bulk/ChangeCard.tsx'
import { ExportDialog, EraseDialog } from './bulk/ConfirmDialogs.tsx'
import { SaveSegmentDialog } from './bulk/SaveSegmentDialog.tsx'
import { countOf, saySelected, type BulkSelection } from './bulk/selection.ts'
import { SetFieldDialog } from './bulk/SetFieldDialog.tsx'
import { TagDialog } from './bulk/TagDialog.tsx'
import { UnsubscribeDialog } from './bulk/UnsubscribeDialog.tsx'

export interface BulkBarProps {
  selection: BulkSelection
  /** A change has begun: the list may drop its selection. */
  onDone: () => void
}

const acts = ['tag', 'untag', 'setField', 'unsubscribe', 'export', 'erase', 'saveSegment'] as const
type Act = (typeof acts)[number]

export function BulkBar({ selection, onDone }: BulkBarProps) {
  const { t, i18n } = useTranslation('bulk')
  const mayEdit = useMay('editor')
  const [act, setAct] = useState<Act | null>(null)
  if (!mayEdit) return null
  const count = countOf(selection)
  const isChosen = 'ids' in selection
  const shown = isChosen ? acts.filter((each) => each !== 'saveSegment') : acts
  const number = saySelected(selection, i18n.language)
  const isTooMany = isChosen && count > bulkLimits.idsMax
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('bar')}>
      <Group gap="xs">
        <Text fw={550} mr="xs">
          {t(isChosen ? 'selected' : 'matching', { count, number })}
        </Text>
        {shown.map((each) => (
          <Button
            key={each}
            size="xs"
            variant="default"
            disabled={count === 0 || isTooMany}
            {...(each === 'erase' && { color: 'red', variant: 'light' })}
            onClick={() => setAct(each)}
          >
            {t(each)}
          </Button>
        ))}
      </Group>
      {isTooMany && (
        <Text mt="xs">
          {t('tooMany', { number: bulkLimits.idsMax.toLocaleString(i18n.language) })}
        </Text>
      )}
      <Dialogs
        act={act}
        selection={selection}
        onClose={() => setAct(null)}
        onDone={() => {
          onDone()
          if (act !== 'saveSegment') focusNewestChange()
        }}
      />
    </Paper>
  )
}

function Dialogs({ act, ...rest }: BulkBarProps & { act: Act | null; onClose: () => void }) {
  return (
    <>
      <TagDialog act="tag" opened={act === 'tag'} {...rest} />
      <TagDialog act="untag" opened={act === 'untag'} {...rest} />
      <SetFieldDialog opened={act === 'setField'} {...rest} />
      <UnsubscribeDialog opened={act === 'unsubscribe'} {...rest} />
      <ExportDialog opened={act === 'export'} {...rest} />
      <EraseDialog opened={act === 'erase'} {...rest} />
      <SaveSegmentDialog opened={act === 'saveSegment'} {...rest} />
    </>
  )
}

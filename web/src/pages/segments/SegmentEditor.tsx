/** The name and the conditions of a segment, beside their live count. */
import { SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { segmentLimits } from 'virtual:contract'
import type { Group } from '../../../../src/contract/segments.ts'
import { useMay } from '../../api/use-role.ts'
import { Form } from '../../parts/Form.tsx'
import { useForm } from '../../parts/use-form.ts'
import { hasAllValues } from './conditions.ts'
import { GroupEditor } from './GroupEditor.tsx'
import { LiveCount } from './LiveCount.tsx'

export interface SegmentDraft {
  name: string
  definition: Group
}

interface SegmentEditorProps {
  initial: SegmentDraft
  verb: string
  onSave: (draft: SegmentDraft) => Promise<unknown>
}

export function SegmentEditor({ initial, verb, onSave }: SegmentEditorProps) {
  const { t } = useTranslation('segments')
  // Words that a condition fetched only then would hide the page, and the list would lose the focus.
  useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const form = useForm(initial, onSave)
  const { definition } = form.values
  const group = form.pick('definition')
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Form
        form={form}
        verb={mayEdit ? verb : null}
        button="start"
        disabled={!hasAllValues(definition)}
        noValidate
      >
        <Stack>
          <TextInput
            label={t('name')}
            required
            maxLength={segmentLimits.nameMax}
            disabled={!mayEdit}
            {...form.text('name')}
          />
          <GroupEditor group={group.value} onChange={group.onChange} disabled={!mayEdit} />
        </Stack>
      </Form>
      <LiveCount definition={definition} />
    </SimpleGrid>
  )
}

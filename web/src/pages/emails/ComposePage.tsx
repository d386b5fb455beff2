/** A single e-mail that the user writes: text or blocks, with files, now or at a time. */
import {
  Alert,
  FileInput,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { problemAt, problemsWithin } from '../../api/field-problem.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Form } from '../../parts/Form.tsx'
import { useGo } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { randomKey } from '../../parts/random-key.ts'
import { useForm, type FormState } from '../../parts/use-form.ts'
import type { Block } from '../campaigns/editor/blocks.ts'
import { ComposeBlocks } from './ComposeBlocks.tsx'
import { addressesIn, bytesOf, writeMail, type Written } from './compose.ts'

const blank: Written = {
  ...{ from: '', to: '', cc: '', subject: '', kind: 'text', text: '' },
  ...{ attachments: [], scheduled_at: '' },
}

export function ComposePage() {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const { data: senders } = useAsk('listSenders')
  const back = { to: 'emails', label: t('title') }
  const known = (senders?.data ?? []).filter((sender) => sender.domain_status === 'verified')
  const first = known.find((sender) => sender.default) ?? known[0]
  return (
    <Page title={t('compose')} about={t('composeAbout')} back={back}>
      {!mayEdit && <Alert variant="default">{t('composeByEditors')}</Alert>}
      {mayEdit && senders && (
        <Compose from={first?.email ?? ''} senders={known.map(({ email }) => email)} />
      )}
    </Page>
  )
}

function Compose({ from, senders }: { from: string; senders: string[] }) {
  const { t } = useTranslation('emails')
  const go = useGo()
  const { mutateAsync } = useAct('sendEmail', { refresh: ['listMessages', 'getOverview'] })
  const [blocks, setBlocks] = useState<readonly Block[]>([])
  const [sent, setSent] = useState<readonly Block[]>([])
  const keyFor = useKeyOfContent()
  const form = useForm({ ...blank, from }, async (values) => {
    setSent(blocks)
    const body = await writeMail(values, blocks)
    const headers = { 'idempotency-key': keyFor(JSON.stringify(body)) }
    const { id } = await mutateAsync({ headers, body })
    await go(`emails/${id}`)
  })
  const isEmpty = form.values.kind === 'content' && blocks.length === 0
  const isTooLarge = bytesOf(form.values.attachments) > limits.attachmentBytesMax
  const toProblem = problemsWithin(form.error, 'to', addressesIn(form.values.to))
  const isAtField = form.isAtField || toProblem !== null
  return (
    <Form
      form={{ ...form, isAtField }}
      verb={t(form.values.scheduled_at === '' ? 'composeSend' : 'composeSchedule')}
      disabled={isEmpty || isTooLarge}
      maw={760}
    >
      <Paper onKeyDown={keepEnter}>
        <Stack gap="sm">
          <Lines form={form} senders={senders} toProblem={toProblem} />
          <SegmentedControl
            aria-label={t('composeWay')}
            data={(['text', 'content'] as const).map((value) => ({
              value,
              label: t(value === 'text' ? 'composeText' : 'composeBlocks'),
            }))}
            {...form.pick('kind')}
          />
          {form.values.kind === 'text' ? (
            <Textarea
              label={t('composeText')}
              minRows={10}
              autosize
              maxRows={40}
              {...form.text('text')}
              required
            />
          ) : (
            <ComposeBlocks blocks={blocks} onChange={setBlocks} sent={sent} error={form.error} />
          )}
          <Extras form={form} isTooLarge={isTooLarge} />
        </Stack>
      </Paper>
    </Form>
  )
}

/** Enter in a line sends nothing: a mail cannot be taken back. */
function keepEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}

/** The same content has the same key, so that a second press after a lost answer sends once. */
function useKeyOfContent(): (content: string) => string {
  const last = useRef({ content: '', key: '' })
  return (content) => {
    if (last.current.content !== content) last.current = { content, key: randomKey() }
    return last.current.key
  }
}

interface LinesProps {
  form: FormState<Written>
  senders: string[]
  toProblem: string | null
}

function Lines({ form, senders, toProblem }: LinesProps) {
  const { t } = useTranslation('emails')
  return (
    <>
      <TextInput
        label={t('from')}
        list="compose-senders"
        maxLength={limits.addressMax}
        {...form.text('from')}
        required
      />
      <datalist id="compose-senders">
        {senders.map((email) => (
          <option key={email} value={email} />
        ))}
      </datalist>
      <TextInput
        label={t('composeTo')}
        description={t('composeToWhy')}
        {...form.text('to')}
        error={toProblem}
        required
      />
      <TextInput label={t('composeCc')} {...form.text('cc')} />
      <TextInput
        label={t('subject')}
        maxLength={limits.subjectMax}
        {...form.text('subject')}
        required
      />
    </>
  )
}

function Extras({ form, isTooLarge }: { form: FormState<Written>; isTooLarge: boolean }) {
  const { t } = useTranslation('emails')
  const megabytes = limits.attachmentBytesMax / 1_048_576
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <FileInput
        label={t('files')}
        description={t('composeFilesWhy', { megabytes })}
        placeholder={t('chooseFile')}
        styles={{ placeholder: { color: 'inherit' } }}
        multiple
        clearable
        clearButtonProps={{ 'aria-label': t('composeNoFiles') }}
        {...form.pick('attachments')}
        error={isTooLarge ? t('tooLarge', { megabytes }) : problemAt(form.error, 'attachments')}
      />
      <TextInput
        type="datetime-local"
        label={t('composeAt')}
        description={t('composeAtWhy')}
        {...form.text('scheduled_at')}
      />
    </Group>
  )
}

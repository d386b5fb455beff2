/**
 * The preview is the service's rendering of the saved draft: wide or narrow, light or dark, for one
 * subscriber.
 */
import {
  Autocomplete,
  Group,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  type SegmentedControlProps,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import classes from './Preview.module.css'
import { PreviewFrames } from './PreviewFrames.tsx'

interface PreviewProps {
  id: string
  version: number
  /** False if the user has typed something that the preview does not show yet. */
  isSaved: boolean
  /** It begins as seen by the first subscriber, in place of somebody of whom nothing is known. */
  startsWithReader?: boolean
}

export function Preview({ id, version, isSaved, startsWithReader = false }: PreviewProps) {
  const { t } = useTranslation('drafts')
  const [width, setWidth] = useState('wide')
  const [scheme, setScheme] = useState('light')
  const [part, setPart] = useState('html')
  const [images, setImages] = useState(false)
  // Null until the user chooses one.
  const [chosen, setReader] = useState<string | null>(null)
  const [typed] = useDebouncedValue(chosen?.trim().toLowerCase() ?? '', 300)
  const readers = useAsk('listSubscribers', { query: { limit: 8, ...(typed && { q: typed }) } })
  const known = readers.data?.data ?? []
  const reader = chosen ?? (startsWithReader ? (known[0]?.email ?? '') : '')
  const email = chosen === null ? reader.toLowerCase() : typed
  // A known subscriber or none, because a half-typed address has no subscriber.
  const as = known.find((subscriber) => subscriber.email.toLowerCase() === email)?.email
  const requested = { version, ...(as && { email: as }) }
  const {
    data: read,
    error,
    refetch,
  } = useAsk('previewDraft', { params: { id }, query: requested })
  // The previous lines stay until the new ones are there.
  const [data, show] = useState(read)
  if (read && read !== data) show(read)
  const query = {
    ...requested,
    ...(scheme === 'dark' && { dark: '1' as const }),
    ...(images && { images: '1' as const }),
  }
  return (
    <Stack gap="sm" aria-busy={!isSaved}>
      <Group gap="xs">
        <Choice
          label={t('previewWidth')}
          values={['wide', 'narrow']}
          value={width}
          onChange={setWidth}
        />
        <Choice
          label={t('previewScheme')}
          values={['light', 'dark']}
          value={scheme}
          onChange={setScheme}
        />
        <Choice
          label={t('previewPart')}
          values={['html', 'text']}
          value={part}
          onChange={setPart}
        />
      </Group>
      <Autocomplete
        label={t('previewReader')}
        description={t('previewReaderWhy')}
        placeholder={t('previewNobody')}
        data={known.map((subscriber) => subscriber.email)}
        filter={({ options }) => options}
        value={reader}
        onChange={setReader}
        error={email.includes('@') && readers.isSuccess && !as ? t('previewUnknown') : undefined}
        clearable
      />
      <Failure error={error} retry={() => void refetch()} />
      {data && (
        <div className={classes.lines}>
          <Text size="md" fw={600}>
            {data.subject === '' ? t('noSubject') : data.subject}
          </Text>
          <Text c="dimmed">
            {data.from ?? t('noSender')}
            {data.preheader !== '' && ` · ${data.preheader}`}
          </Text>
        </div>
      )}
      {data && data.leftOut > 0 && (
        <Text className="status-warning" px={8} py={4} bdrs="sm" role="status">
          {t('previewLeftOut', { count: data.leftOut })}
        </Text>
      )}
      {part === 'text' ? (
        <pre className={classes.text} tabIndex={0} aria-label={t('part_text')}>
          {data?.text}
        </pre>
      ) : (
        <PreviewFrames
          address={addressOf('previewDraftPage', { params: { id }, query })}
          title={t('preview')}
          isNarrow={width === 'narrow'}
        />
      )}
      <Switch
        label={t('previewImages')}
        description={t('previewImagesWhy')}
        checked={images}
        onChange={(event) => setImages(event.currentTarget.checked)}
        size="sm"
      />
    </Stack>
  )
}

type ChoiceProps = Pick<SegmentedControlProps, 'value' | 'onChange'> & {
  label: string
  values: readonly ('wide' | 'narrow' | 'light' | 'dark' | 'html' | 'text')[]
}

function Choice({ label, values, ...rest }: ChoiceProps) {
  const { t } = useTranslation('drafts')
  const data = values.map((value) => ({ value, label: t(`part_${value}`) }))
  return <SegmentedControl size="xs" aria-label={label} data={data} {...rest} />
}

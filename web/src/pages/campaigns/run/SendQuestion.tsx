/**
 * The question before a send reads the number of recipients now. The user agrees to it by the
 * button that names it, and the service sends to no other number. The user agrees to the problems
 * of a check by a box of its own.
 */
import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Refusal } from '../../../api/refusal.ts'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { Form } from '../../../parts/Form.tsx'
import { Loaded } from '../../../parts/Loaded.tsx'
import { notifyDone } from '../../../api/notify.ts'
import { useForm } from '../../../parts/use-form.ts'
import { sayMergeTags } from '../say-merge-tags.ts'
import { Agree, useAgreement } from './Agree.tsx'
import { Reached } from './Reach.tsx'
import { useFigures } from './use-figures.ts'
import { useRefresh } from './use-refresh.ts'

interface Answered {
  /**
   * The number that the user agreed to, and the one that the service found instead. Null means the
   * service found no other.
   */
  differs: { agreed: number; now: number } | null
}

export function SendQuestion({ run, onClose }: { run: CampaignRun; onClose: () => void }) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  const { count } = useFigures()
  const { id, subject, from } = run.campaign
  const reach = useAsk('getCampaignReach', { params: { id } })
  const agreement = useAgreement(run, { isLater: false })
  const refresh = useRefresh()
  const { mutateAsync: send } = useAct('sendCampaign')
  // The user agrees only to figures that the page read after this dialog opened.
  const known = reach.isFetching ? undefined : reach.data
  // The count that the service would freeze overrides every other figure.
  const agreedOf = ({ differs }: Answered): number => differs?.now ?? known?.reachable ?? 0
  const form = useForm<Answered>({ differs: null }, async (answered, set) => {
    try {
      await send({ params: { id }, query: { confirm_recipients: agreedOf(answered) } })
    } catch (refusal) {
      set({ differs: numberThatDiffers(refusal) })
      await reach.refetch()
      throw refusal
    }
    await refresh()
    notifyDone(t('done_send'))
    onClose()
  })
  const { differs } = form.values
  const agreed = agreedOf(form.values)
  const change = differs && (
    <Alert color="yellow" role="alert" title={t('differs')}>
      {t('differsWhat', { agreed: count(differs.agreed), now: count(differs.now) })}
    </Alert>
  )
  return (
    <Form
      form={form}
      verb={known ? t(agreed === 1 ? 'sendToOne' : 'sendTo', { n: count(agreed) }) : t('counting')}
      disabled={!known || agreed === 0 || !agreement.isClear}
      failure={change ?? undefined}
      onCancel={onClose}
      keep={t('notNow')}
    >
      <Text>
        {t('sendWhat', { subject: sayMergeTags(subject, drafts), from: from ?? t('noSender') })}
      </Text>
      <Loaded of={{ ...reach, data: known }} height={80}>
        {(data) => <Reached reach={data} />}
      </Loaded>
      <Agree agreement={agreement} verb="sendAllTheSame" />
      <Text c="dimmed">{t('sendThen')}</Text>
    </Form>
  )
}

function numberThatDiffers(error: unknown): Answered['differs'] {
  if (!(error instanceof Refusal) || error.details['reason'] !== 'recipients_differ') return null
  return { agreed: Number(error.details['confirmed']), now: Number(error.details['recipients']) }
}

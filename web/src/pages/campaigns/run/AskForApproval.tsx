/** The button stands in place of the send that needs an approval. */
import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { notifyRefused } from '../../../api/notify.ts'
import { useAct } from '../../../api/use-ask.ts'
import { sayWhat } from '../../../api/refusal-words.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { useFigures } from './use-figures.ts'

export function AskForApproval({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  const { t: shell } = useTranslation('shell')
  const { mutate, isPending } = useAct('askCampaignApproval', {
    refresh: ['getCampaignRun', 'getCampaignReach'],
    done: ({ mailed }) => t('done_askApproval', { count: mailed, n: count(mailed) }),
  })
  const { id } = run.campaign
  const { approval } = run
  if (approval === null || approval.state === 'asked' || run.unfinished) return null
  const read = { params: { id }, body: { digest: approval.digest } }
  return (
    <Button
      leftSection={<Icon name="check" size={16} />}
      aria-busy={isPending || undefined}
      onClick={() => mutate(read, { onError: (error) => notifyRefused(sayWhat(error, shell)) })}
    >
      {t('act_askApproval')}
    </Button>
  )
}

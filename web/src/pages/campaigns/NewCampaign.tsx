/** Creates a campaign from a name and one of the three kinds. */
import { Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { CampaignKind } from '../../../../src/contract/campaign-fields.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { useGo } from '../../parts/links.tsx'
import { ways } from './editor/ways.ts'
import classes from './NewCampaign.module.css'

const initial: { name: string; kind: CampaignKind } = { name: '', kind: 'content' }

export function NewCampaign(dialog: DialogProps) {
  const { t } = useTranslation('drafts')
  const go = useGo()
  const { data: choices } = useAsk('listDraftChoices', undefined, { enabled: dialog.opened })
  const { mutateAsync } = useAct('createDraft', { refresh: ['listCampaigns'] })
  const { trackOpens = true, trackClicks = true } = choices ?? {}
  return (
    <FormDialog
      {...dialog}
      title={t('create')}
      size="lg"
      verb={t('begin')}
      initial={initial}
      isReady={({ name }) => name.trim() !== '' && choices !== undefined}
      onSubmit={async ({ name, kind }) => {
        const { id } = await mutateAsync({
          body: { name: name.trim(), kind, trackOpens, trackClicks },
        })
        await go(`campaigns/${id}/edit`)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label={t('name')}
            description={t('nameWhy')}
            {...form.text('name')}
            maxLength={limits.campaignNameMax}
            required
            data-autofocus
          />
          <Radio.Group label={t('way')} {...form.pick('kind')}>
            <Stack gap="xs" mt="xs">
              {ways.map((way) => (
                <label key={way} className={classes.way} data-chosen={way === form.values.kind}>
                  <Group wrap="nowrap" align="flex-start">
                    <Radio value={way} mt={2} />
                    <div>
                      <Text size="md" fw={550}>
                        {t(`way_${way}`)}
                      </Text>
                      <Text c="dimmed">{t(`wayWhy_${way}`)}</Text>
                    </div>
                  </Group>
                </label>
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormDialog>
  )
}

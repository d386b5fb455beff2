/** Codes of an app beside the password: switched on with a first code, with recovery codes for the day the app is lost. */
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Status } from '../../parts/Status.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { BeginCodes } from './BeginCodes.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { AccountSection } from './AccountSection.tsx'

export function Codes(): ReactNode {
  const { t } = useTranslation('people')
  const { data, error, refetch } = useAsk('getWaysIn')
  const [open, setOpen] = useState<'begin' | 'renew' | 'end' | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const end = useAct('removeTotp', { refresh: ['getWaysIn'] })
  const renew = useAct('renewRecoveryCodes', { refresh: ['getWaysIn'] })
  const close = (): void => setOpen(null)
  const beside = data && <Status tone={data.totp ? 'good' : 'quiet'}>{data.totp ? t('on') : t('off')}</Status>
  return (
    <AccountSection title={t('codes')} about={t('codesAbout')} beside={beside}>
      {!data && (error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton height={48} />)}
      {data && !data.totp && (
        <Group>
          <Button variant="default" onClick={() => setOpen('begin')}>
            {t('beginCodes')}
          </Button>
        </Group>
      )}
      {data?.totp && (
        <Stack gap="sm">
          <Text size="sm">{t('recoveryLeft', { count: data.recovery_codes })}</Text>
          <Group>
            <Button variant="default" onClick={() => setOpen('renew')}>
              {t('renewRecovery')}
            </Button>
            <Button variant="default" onClick={() => setOpen('end')}>
              {t('endCodes')}
            </Button>
          </Group>
        </Stack>
      )}
      <BeginCodes
        opened={open === 'begin'}
        onClose={close}
        onDone={(made) => {
          close()
          setCodes(made)
        }}
      />
      <Confirm
        opened={open === 'renew'}
        onClose={close}
        title={t('renewRecovery')}
        verb={t('renewRecovery')}
        onConfirm={async () => setCodes((await renew.mutateAsync({})).codes)}
      >
        {t('renewRecoveryWhat')}
      </Confirm>
      <Confirm
        opened={open === 'end'}
        onClose={close}
        title={t('endCodes')}
        verb={t('endCodes')}
        danger
        onConfirm={async () => {
          await end.mutateAsync({})
          notifyDone(t('codesEnded'))
        }}
      >
        {t('endCodesWhat')}
      </Confirm>
      {/* Nothing but its button closes it: what is closed by mistake is lost, and the codes are asked for already. */}
      <Modal
        opened={codes !== null}
        onClose={() => setCodes(null)}
        title={t('recoveryCodes')}
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      </Modal>
    </AccountSection>
  )
}

/** A new password; every other browser has to sign in again. */
import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { NewPassword } from './NewPassword.tsx'
import { ruleAt } from './rule-at.ts'
import { AccountSection } from './AccountSection.tsx'

export function ChangePassword(): ReactNode {
  const { t } = useTranslation('people')
  const { data } = useAsk('getSession')
  const [password, setPassword] = useState('')
  const act = useAct('changePassword', { refresh: ['listSessions', 'getSession'] })
  const change = async (): Promise<void> => {
    await act.mutateAsync({ body: { password } })
    setPassword('')
    notifyDone(t('passwordChanged'))
  }
  return (
    <AccountSection title={t('password')} about={t('passwordAbout')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void change().catch(() => undefined)
        }}
      >
        <Stack>
          <NewPassword value={password} onChange={setPassword} error={act.error} email={data?.person.email ?? ''} />
          {ruleAt(act.error, 'password') === null && <Failure error={act.error} />}
          <Group>
            <Button type="submit" variant="default" loading={act.isPending}>
              {t('savePassword')}
            </Button>
          </Group>
        </Stack>
      </form>
    </AccountSection>
  )
}

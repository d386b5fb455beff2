/**
 * The user switches codes of an app on with a first code, and gets recovery codes for the day the
 * app is lost.
 */
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { OnceDialog } from '../../parts/FormDialog.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Status } from '../../parts/Status.tsx'
import { BeginCodes } from './BeginCodes.tsx'
import { AccountSection } from './AccountSection.tsx'
import { CopyButton } from '../../parts/CopyField.tsx'

export function Codes() {
  const { t } = useTranslation('users')
  const ways = useAsk('getWaysIn')
  const [begins, { open, close }] = useDisclosure()
  const [codes, setCodes] = useState<string[] | null>(null)
  const end = useAct('removeTotp', { refresh: ['getWaysIn'], done: t('codesEnded') })
  const renew = useAct('renewRecoveryCodes', { refresh: ['getWaysIn'] })
  const isOn = ways.data?.totp
  const state = ways.data && (
    <Status tone={isOn ? 'good' : 'quiet'}>{isOn ? t('on') : t('off')}</Status>
  )
  return (
    <AccountSection title={t('codes')} about={t('codesAbout')} beside={state}>
      <Loaded of={ways} height={48}>
        {({ totp, recovery_codes: left }) =>
          totp ? (
            <Stack gap="sm">
              <Text>{t('recoveryLeft', { count: left })}</Text>
              <Group>
                <ConfirmButton
                  label={t('renewRecovery')}
                  title={t('renewRecovery')}
                  onConfirm={async () => setCodes((await renew.mutateAsync({})).codes)}
                >
                  {t('renewRecoveryWhat')}
                </ConfirmButton>
                <ConfirmButton
                  label={t('endCodes')}
                  title={t('endCodes')}
                  danger
                  onConfirm={() => end.mutateAsync({})}
                >
                  {t('endCodesWhat')}
                </ConfirmButton>
              </Group>
            </Stack>
          ) : (
            <Group>
              <Button variant="default" onClick={open}>
                {t('beginCodes')}
              </Button>
            </Group>
          )
        }
      </Loaded>
      <BeginCodes
        opened={begins}
        onClose={close}
        onDone={(fresh) => {
          close()
          setCodes(fresh)
        }}
      />
      <OnceDialog opened={codes !== null} onClose={() => setCodes(null)} title={t('recoveryCodes')}>
        {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      </OnceDialog>
    </AccountSection>
  )
}

/** The page shows recovery codes once: the user copies them, or downloads them as a file. */
function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { t } = useTranslation('users')
  const text = codes.join('\n')
  return (
    <Stack>
      <Text>{t('recoveryOnce')}</Text>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code} fz="sm" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={text} label={t('recoveryCodes')} />
          <Button
            component="a"
            variant="default"
            size="xs"
            href={`data:text/plain,${encodeURIComponent(text)}`}
            download="facteur-recovery-codes.txt"
          >
            {t('keepAsFile')}
          </Button>
        </Group>
        <Button onClick={onClose}>{t('keptThem')}</Button>
      </Group>
    </Stack>
  )
}

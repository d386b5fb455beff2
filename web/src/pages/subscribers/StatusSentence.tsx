/** Why a contact has their status, in a sentence, with what else of the contact blocks mail. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MailRule } from '../../../../src/contract/workspace/contacts.ts'
import { keyOf } from '../../parts/key-of.ts'
import { Moment } from '../../parts/Moment.tsx'
import { sayRule } from './MailRuleRow.tsx'

/** Rules about the contact; others are about the workspace, and their page says them. */
const ofContact = new Set<MailRule['rule']>(['list', 'platform', 'bounces'])

export function StatusSentence({ rules }: { rules: MailRule[] }) {
  const { t, i18n } = useTranslation('subscribers')
  const status = rules.find(({ rule }) => rule === 'status')
  const blocking = rules.filter(({ rule, blocks }) => blocks !== 'nothing' && ofContact.has(rule))
  return (
    <>
      {status && (
        <Text component="div">
          {sayRule(status, t, i18n.language)}{' '}
          {status.since !== null && (
            <>
              ({t('sinceWhen')} <Moment at={status.since} exact />)
            </>
          )}
        </Text>
      )}
      {blocking.map((rule) => (
        <Text key={rule.rule} c="dimmed">
          {t('ruleSays', {
            rule: t(keyOf('rule', rule.rule)),
            says: sayRule(rule, t, i18n.language),
          })}
        </Text>
      ))}
    </>
  )
}

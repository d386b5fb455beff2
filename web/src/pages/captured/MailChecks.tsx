/** The checks say what may keep a mail from being shown whole, or from landing where it should. */
import { List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MailChecks as Checks } from '../../../../src/contract/captured.ts'
import { Icon } from '../../parts/Icon.tsx'
import classes from './Captured.module.css'

/** Gmail cuts the HTML of a longer mail. */
const shownWholeMax = 102 * 1024

export function MailChecks({ checks, size }: { checks: Checks; size: number }) {
  const { t, i18n } = useTranslation('captured')
  const kilobytes = (bytes: number): string =>
    (Math.round(bytes / 102.4) / 10).toLocaleString(i18n.language)
  const html = checks.html_bytes ?? 0
  const missing = checks.images_without_alt
  return (
    <List listStyleType="none" spacing="sm" aria-label={t('checks')}>
      <Check
        isGood={html <= shownWholeMax}
        what={
          html <= shownWholeMax
            ? t('sizeGood', { size: kilobytes(html) })
            : t('sizeBad', { size: kilobytes(html) })
        }
        why={t('sizeWhy', { whole: kilobytes(size) })}
      />
      <Check
        isGood={missing === 0}
        what={
          missing > 0
            ? t('altBad', { count: missing })
            : checks.images === 0
              ? t('altNone')
              : t('altGood', { count: checks.images })
        }
        why={t('altWhy')}
      />
      <Check
        isGood={checks.dkim_aligned}
        what={
          checks.dkim_domain === null
            ? t('dkimNone')
            : t(checks.dkim_aligned ? 'dkimGood' : 'dkimOther', { domain: checks.dkim_domain })
        }
        why={t('dkimWhy')}
      />
      <Check
        isGood={checks.list_unsubscribe}
        what={
          checks.one_click
            ? t('listGood')
            : checks.list_unsubscribe
              ? t('listNoClick')
              : t('listNone')
        }
        why={t('listWhy')}
      />
    </List>
  )
}

function Check({ isGood, what, why }: { isGood: boolean; what: string; why: string }) {
  const { t } = useTranslation('captured')
  return (
    <List.Item>
      <div className={classes.check}>
        <span
          className={isGood ? classes.good : classes.bad}
          role="img"
          aria-label={t(isGood ? 'checkGood' : 'checkBad')}
        >
          <Icon name={isGood ? 'check' : 'warning'} />
        </span>
        <Stack gap={0}>
          <Text>{what}</Text>
          <Text c="dimmed">{why}</Text>
        </Stack>
      </div>
    </List.Item>
  )
}

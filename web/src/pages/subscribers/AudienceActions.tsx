/** What the page of subscribers leads to, and the export of all that its list shows. */
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { ExportButton } from './bulk/ConfirmDialogs.tsx'
import type { Matching } from './bulk/selection.ts'

interface ActionsProps {
  mayEdit: boolean
  /** Null: the list shows nothing. */
  matching: Matching | null
}

export function AudienceActions({ mayEdit, matching }: ActionsProps) {
  const { t } = useTranslation('subscribers')
  return (
    <>
      <ButtonLink to="segments" variant="default">
        {t('segments')}
      </ButtonLink>
      <ButtonLink to="subscribers/fields" variant="default">
        {t('fields')}
      </ButtonLink>
      <ButtonLink to="subscribers/topics" variant="default">
        {t('topics')}
      </ButtonLink>
      {mayEdit && (
        <>
          {matching && (
            <ExportButton
              label={Object.keys(matching).length > 0 ? t('exportThese') : t('exportAll')}
              matching={matching}
            />
          )}
          <ButtonLink
            to="subscribers/import"
            variant="default"
            leftSection={<Icon name="upload" size={16} />}
          >
            {t('import')}
          </ButtonLink>
          <ButtonLink to="subscribers/new" leftSection={<Icon name="plus" size={16} />}>
            {t('add')}
          </ButtonLink>
        </>
      )}
    </>
  )
}

/** The blocks of a mail, which the user moves, and the buttons that add one. */
import { Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { AddBlock } from './AddBlock.tsx'
import { BlockList } from './BlockList.tsx'
import { DragProvider } from './block-drag.tsx'
import { useBlocks } from './editor-context.ts'
import { fetchRichText } from './RichText.tsx'

export function Blocks() {
  const { t } = useTranslation('drafts')
  const { blocks } = useBlocks()
  useEffect(fetchRichText, [])
  return (
    <DragProvider>
      <Text c="dimmed" id="blocks-help">
        {t('blocksHelp')}
      </Text>
      <BlockList blocks={blocks} within={null} />
      <AddBlock />
    </DragProvider>
  )
}

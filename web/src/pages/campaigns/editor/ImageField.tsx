/**
 * The user uploads a block's image, chooses a stored one or gives an address, and describes it in
 * words.
 */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { imageLimits } from 'virtual:contract'
import type { Image } from '../../../../../src/contract/workspace/images.ts'
import { useAct, useList } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { FileDrop } from '../../../parts/FileDrop.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { Uploading, useUpload } from '../../../parts/Uploading.tsx'
import classes from './BlockList.module.css'
import type { Block } from './blocks.ts'
import { AddressField } from './MergeField.tsx'

/** The service accepts these (src/contract/workspace/images.ts). */
const kinds = 'image/png,image/jpeg,image/gif,image/webp'
const altMax = 1_000

export function ImageField({
  block,
  change,
}: {
  block: Block
  change: (change: Partial<Block>) => void
}) {
  const { t } = useTranslation('drafts')
  const [opened, { open, close }] = useDisclosure()
  const pick = ({ url, width }: Image): void => {
    // An image without a width fills the mail, which is 600 wide; the editor does not enlarge a
    // smaller one.
    change({ src: url, width: width < 600 ? width : undefined })
    close()
  }
  return (
    <Stack gap="xs">
      {block.src === undefined && !opened && <AddImage onAdded={pick} />}
      <Group align="flex-start" gap="sm">
        {block.src && <Picture src={block.src} alt={block.alt ?? ''} />}
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="image" size={16} />}
          onClick={open}
          data-first
        >
          {t(block.src ? 'changePicture' : 'choosePicture')}
        </Button>
      </Group>
      <TextInput
        label={t('alt')}
        description={t('altWhy')}
        value={block.alt ?? ''}
        maxLength={altMax}
        onChange={(event) => change({ alt: event.currentTarget.value })}
      />
      <AddressField
        label={t('pictureLeadsTo')}
        value={block.href ?? ''}
        onChange={(href) => change({ href: href || undefined })}
      />
      <Modal opened={opened} onClose={close} title={t('choosePicture')} size="lg">
        {opened && <Shelf block={block} onPick={pick} onAddress={(src) => change({ src })} />}
      </Modal>
    </Stack>
  )
}

/**
 * The page loads only our own images: another host would learn that somebody looks at its image.
 */
function Picture({ src, alt }: { src: string; alt: string }) {
  const near = nearAddress(src)
  if (near !== null) return <img className={classes.picture} src={near} alt={alt} loading="lazy" />
  return <Text c="dimmed">{src}</Text>
}

/** Returns the path of an image that the service stores, under any host name; null for others. */
function nearAddress(src: string): string | null {
  const path = URL.canParse(src) ? new URL(src).pathname : ''
  return /^\/images\/[\w-]{51}\.\w+$/.test(path) ? path : null
}

/** A file from the user's machine becomes an image of the workspace. */
function AddImage({ onAdded }: { onAdded: (image: Image) => void }) {
  const { t } = useTranslation('drafts')
  const add = useAct('addImage', { refresh: ['listImages'] })
  const upload = useUpload()
  const take = (file: File): void =>
    add.mutate(
      { query: { name: file.name.slice(0, 255) }, file, ...upload.begin(file) },
      { onSuccess: onAdded },
    )
  return (
    <>
      {add.isPending ? (
        <Uploading label={t('pictureOnItsWay')} upload={upload} />
      ) : (
        <FileDrop
          label={t('dropPicture')}
          accept={kinds}
          bytesMax={imageLimits.bytesMax}
          onFile={take}
        />
      )}
      <Failure error={add.error} />
    </>
  )
}

interface ShelfProps {
  block: Block
  onPick: (image: Image) => void
  onAddress: (src: string) => void
}

function Shelf({ block, onPick, onAddress }: ShelfProps) {
  const { t } = useTranslation('drafts')
  const images = useList('listImages', { query: { limit: 24 } })
  return (
    <Stack>
      <AddImage onAdded={onPick} />
      <AddressField label={t('pictureAddress')} value={block.src ?? ''} onChange={onAddress} />
      {images.items.length > 0 && (
        <>
          <Text size="md" fw={550}>
            {t('keptPictures')}
          </Text>
          <ul className={classes.shelf}>
            {images.items.map((image) => (
              <li key={image.id}>
                <button type="button" onClick={() => onPick(image)}>
                  <img src={new URL(image.url).pathname} alt="" loading="lazy" />
                  {image.name}
                </button>
              </li>
            ))}
          </ul>
          <Failure error={images.moreError} retry={images.loadMore} busy={images.isLoadingMore} />
          {images.hasMore && !images.moreError && (
            <Button
              variant="default"
              size="xs"
              loading={images.isLoadingMore}
              onClick={images.loadMore}
            >
              {t('more')}
            </Button>
          )}
        </>
      )}
      <Failure error={images.error} retry={images.retry} />
    </Stack>
  )
}

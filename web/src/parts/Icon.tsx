/**
 * The pictures of the pages, never without words beside them or a label around them. Each is
 * imported from its own file, because the build would read all 6,000 for one of the package.
 */
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs'
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs'
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs'
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs'
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs'
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs'
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs'
import IconHelpCircle from '@tabler/icons-react/dist/esm/icons/IconHelpCircle.mjs'
import IconInbox from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs'
import IconKey from '@tabler/icons-react/dist/esm/icons/IconKey.mjs'
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs'
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs'
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs'
import IconPhoto from '@tabler/icons-react/dist/esm/icons/IconPhoto.mjs'
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs'
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import IconSelector from '@tabler/icons-react/dist/esm/icons/IconSelector.mjs'
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs'
import IconSpeakerphone from '@tabler/icons-react/dist/esm/icons/IconSpeakerphone.mjs'
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import IconUpload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs'
import IconUser from '@tabler/icons-react/dist/esm/icons/IconUser.mjs'
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs'
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs'
import IconWorld from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'

const pictures = {
  overview: IconLayoutDashboard,
  emails: IconMail,
  campaigns: IconSpeakerphone,
  subscribers: IconUsers,
  suppression: IconBan,
  webhooks: IconWebhook,
  captured: IconInbox,
  settings: IconSettings,
  keys: IconKey,
  domains: IconWorld,
  copy: IconCopy,
  check: IconCheck,
  cross: IconX,
  plus: IconPlus,
  search: IconSearch,
  back: IconChevronLeft,
  next: IconChevronRight,
  down: IconChevronDown,
  up: IconChevronUp,
  choose: IconSelector,
  warning: IconAlertTriangle,
  refresh: IconRefresh,
  download: IconDownload,
  upload: IconUpload,
  more: IconDots,
  edit: IconPencil,
  archive: IconArchive,
  trash: IconTrash,
  external: IconExternalLink,
  user: IconUser,
  send: IconSend,
  clock: IconClock,
  help: IconHelpCircle,
  filter: IconFilter,
  image: IconPhoto,
  pause: IconPlayerPause,
  play: IconPlayerPlay,
} as const

export type IconName = keyof typeof pictures

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const Picture = pictures[name]
  return <Picture size={size} stroke={1.6} aria-hidden="true" focusable="false" />
}

/**
 * The pictures of the pages: thin lines on a grid of 24, never without words beside them or a label
 * around them.
 */

const drawings = {
  overview: 'M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  emails: 'M3 6h18v12H3zM3 7l9 6 9-6',
  campaigns: 'M4 10v4h3l8 5V5l-8 5zM18 9a4 4 0 0 1 0 6',
  subscribers:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  suppression: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.7 5.7l12.6 12.6',
  webhooks: 'M8 8a4 4 0 1 1 5.5 3.7L10 17M6.5 12.3A4 4 0 1 0 10 17h6M13 7l3 5.5A4 4 0 1 1 16 20',
  captured: 'M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 2.5h5L16 13h5',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  keys: 'M8 15.5a4.5 4.5 0 1 1 4.2-6.1L21 9.4V13h-3v2.5h-3V13h-2.6A4.5 4.5 0 0 1 8 15.5zM8 11h.01',
  domains:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5.5 5 12.5 0 18M12 3c-5 5.5-5 12.5 0 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  choose: 'M8 9.5L12 5.5l4 4M8 14.5l4 4 4-4',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.2v.1',
  refresh: 'M20 11a8 8 0 1 0-.6 4M20 5v6h-6',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  upload: 'M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3',
  archive: 'M4 4h16v4H4zM5.5 8v12h13V8M10 12h4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  user: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  send: 'M4 12L20 4l-6 16-3-7zM11 13l9-9',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.5l3.5 2',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.5a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2 1-1.2 2M12 16.8v.1',
  filter: 'M4 5h16l-6.2 7.5V19l-3.6-2v-4.5z',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5L13 16l2.5-2.5L20 18M15 9.5h.01',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 5l12 7-12 7z',
} as const

export type IconName = keyof typeof drawings

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const line = {
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: 1.6,
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  } as const
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
      {...line}
    >
      <path d={drawings[name]} />
    </svg>
  )
}

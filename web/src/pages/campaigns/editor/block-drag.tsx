/**
 * The user moves a block with a pointer (mouse, pen or finger) to the nearest gap; or by keyboard,
 * step by step, and a screen reader announces each step.
 */
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type PointerEvent,
  type ReactNode,
} from 'react'
import { flushSync } from 'react-dom'
import { insertBlock, moveBlock, placesFor, type Block, type BlockPosition } from './blocks.ts'
import { useBlocks } from './editor-context.ts'

interface Drag {
  block: Block
  /** The dragged block is new: it has no place yet. */
  isNew: boolean
  position: BlockPosition | null
}

/** The block that the user lifted by keyboard, and the previous order of all blocks. */
interface Lifted {
  key: string
  before: readonly Block[]
}

interface DragParts {
  drag: Drag | null
  lifted: Lifted | null
  lift(lifted: Lifted | null): void
  /** Handlers for the element that the user drags by: a grip, or the button of a kind of block. */
  take(event: PointerEvent<HTMLElement>, make: () => { block: Block; isNew: boolean }): void
}

const DragContext = createContext<DragParts>({
  drag: null,
  lifted: null,
  lift: () => undefined,
  take: () => undefined,
})

export const useDrag = (): DragParts => useContext(DragContext)

/** Pixels that a pointer moves before it drags: less is a click. */
const threshold = 5

export function DragProvider({ children }: { children: ReactNode }) {
  const { blocks, changeBlocks, choose } = useBlocks()
  const [drag, setDrag] = useState<Drag | null>(null)
  const [lifted, lift] = useState<Lifted | null>(null)
  // The pointer's events read the current blocks, not those from the start of the drag.
  const now = useRef({ blocks, drag })
  useLayoutEffect(() => {
    now.current = { blocks, drag }
  }, [blocks, drag])
  const end = useRef<() => void>(() => undefined)
  useEffect(() => () => end.current(), [])

  const parts = useMemo<DragParts>(
    () => ({
      ...{ drag, lifted, lift },
      take(event, make) {
        if (event.button !== 0) return
        const from = { x: event.clientX, y: event.clientY }
        const listening = new AbortController()
        let hasStarted = false
        const follow = ({ clientX: x, clientY: y }: globalThis.PointerEvent): void => {
          if (!hasStarted && Math.hypot(x - from.x, y - from.y) < threshold) return
          const { block, isNew } = hasStarted && now.current.drag ? now.current.drag : make()
          hasStarted = true
          scrollAtEdges(y)
          setDrag({
            block,
            isNew,
            position: nearest(placesFor(now.current.blocks, block), { x, y }),
          })
        }
        const drop = (): void => {
          const dragged = now.current.drag
          stop()
          if (!dragged?.position) return
          const { block, isNew, position: location } = dragged
          changeBlocks((list) =>
            isNew ? insertBlock(list, location, block) : moveBlock(list, block.key, location),
          )
          choose(block.key)
        }
        const giveUp = (key: KeyboardEvent): void => {
          if (key.key === 'Escape') stop()
        }
        const stop = (): void => {
          listening.abort()
          setDrag(null)
        }
        end.current()
        end.current = stop
        window.addEventListener('pointermove', follow, listening)
        window.addEventListener('pointerup', drop, listening)
        window.addEventListener('pointercancel', stop, listening)
        window.addEventListener('keydown', giveUp, listening)
      },
    }),
    [drag, lifted, changeBlocks, choose],
  )
  return <DragContext value={parts}>{children}</DragContext>
}

/** A gap between blocks, as the page marks it. */
export const gapId = ({ within, index }: BlockPosition): string =>
  `gap-${within ? `${within.key}-${within.column}` : 'all'}-${index}`

/** A sideways distance to a gap counts three times as much as one above or below. */
function nearest(
  places: readonly BlockPosition[],
  { x, y }: { x: number; y: number },
): BlockPosition | null {
  let best: { position: BlockPosition; far: number } | null = null
  for (const location of places) {
    const box = document.getElementById(gapId(location))?.getBoundingClientRect()
    if (!box) continue
    const aside = Math.max(box.left - x, 0, x - box.right)
    const far = Math.hypot(Math.max(box.top - y, 0, y - box.bottom), aside * 3)
    if (best === null || far < best.far) best = { position: location, far }
  }
  return best?.position ?? null
}

function scrollAtEdges(y: number): void {
  const edge = 70
  if (y < edge) window.scrollBy(0, -14)
  else if (y > window.innerHeight - edge) window.scrollBy(0, 14)
}

export const isGap = (drag: Drag | null, location: BlockPosition): boolean =>
  drag?.position != null && gapId(drag.position) === gapId(location)

/** The user takes hold of a block by the element with this id. */
export const gripId = (key: string): string => `grip-${key}`

/**
 * Draws the change at once and gives the focus to where the block is now: in another list it is
 * another element.
 */
export function drawThenFocus(change: () => void, id: string): void {
  flushSync(change)
  document.getElementById(id)?.focus()
}

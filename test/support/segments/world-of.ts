/** A workspace of so many drawn contacts, which are stored. */
import { createDraw, type Draw } from '../fault-draw.ts'
import type { PlainContact } from './plain-evaluator.ts'
import { drawContact, storeContacts } from './segment-world.ts'

export interface SegmentWorld {
  workspaceId: number
  contacts: PlainContact[]
  draw: Draw
}

export async function segmentWorld(
  url: string,
  { seed, size, workspaceId = 1 }: { seed: number; size: number; workspaceId?: number },
): Promise<SegmentWorld> {
  const draw = createDraw(seed)
  const contacts = Array.from({ length: size }, () => drawContact(draw))
  await storeContacts(url, workspaceId, contacts)
  return { workspaceId, contacts, draw }
}

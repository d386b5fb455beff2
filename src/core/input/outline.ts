/**
 * Builds the outline of a body's schema: which names are known where, so that a traversal of a body
 * can skip the others.
 */
import type { Hint } from '../../contract/hints.ts'
import type { Operation } from '../../contract/operation.ts'
import type { TSchema } from '../../contract/schema.ts'

export interface Outline {
  /** The outline under each known name; absent when any name is allowed. */
  names?: ReadonlyMap<string, Outline>
  /** The outline of a list's entries; absent when they may be anything. */
  entries?: Outline
  /** Unknown names that another service has: refused, with a hint. */
  foreign?: ReadonlyMap<string, Hint>
  /** A list here holds the bytes of a file. */
  isBytes?: true
  /** Null is a valid value here. */
  admitsNull?: true
  /** Texts here are rewritten, never refused. */
  isRewritten?: true
}

/** Any name is allowed. */
export const anyOutline: Outline = {}

/** The parts of a JSON schema that an outline needs. */
interface Shape {
  type?: string
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
  additionalProperties?: unknown
  minimum?: number
  maximum?: number
  /** The verb checks each entry by itself: nothing of it is examined with the whole. */
  'x-alone'?: boolean
}

/** `rewritten` and `foreign` name parts of the body, or of each entry of a body that is a list. */
export function outlineOf(
  schema: TSchema,
  { rewritten = [], foreign = {} }: Pick<Operation, 'rewritten' | 'foreign'>,
): Outline {
  const root = outline([schema])
  const message = root.entries ?? root
  const names = new Map(message.names)
  for (const name of rewritten) names.set(name, asRewritten(names.get(name) ?? anyOutline))
  for (const [part, keys] of Object.entries(foreign)) {
    const of = part === '' ? message : names.get(part)?.entries
    if (!of?.names) throw new Error(`No part of the body is named ${part}`)
    of.foreign = new Map(Object.entries(keys))
  }
  if (message.names) message.names = names
  return root
}

const asRewritten = ({ names, entries, ...rest }: Outline): Outline => ({
  ...rest,
  ...(names && { names: new Map([...names].map(([name, inner]) => [name, asRewritten(inner)])) }),
  ...(entries && { entries: asRewritten(entries) }),
  isRewritten: true,
})

/** Merges the outlines of all branches: a name that one of them knows is known. */
function outline(shapes: Shape[]): Outline {
  const branches = shapes
    .flatMap((shape) => shape.anyOf ?? [shape])
    .flatMap((shape) => shape.anyOf ?? [shape])
  const objects = branches.filter(({ type }) => type === 'object')
  const lists = branches.flatMap(({ items }) => (items ? [items] : []))
  const isOpen = objects.some(
    (shape) => shape.additionalProperties || Object.keys(shape.properties ?? {}).length === 0,
  )
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
  const at = (name: string): Shape[] =>
    objects.flatMap(({ properties = {} }) => (properties[name] ? [properties[name]] : []))
  return {
    ...(!isOpen &&
      names.size > 0 && { names: new Map([...names].map((name) => [name, outline(at(name))])) }),
    ...(lists.length > 0 && {
      entries: lists.some(isAlone) ? { names: new Map() } : outline(lists),
    }),
    ...(lists.some(isByte) && { isBytes: true }),
    ...(branches.some(({ type }) => type === 'null') && { admitsNull: true }),
  }
}

const isAlone = (shape: Shape): boolean => shape['x-alone'] === true

const isByte = ({ type, minimum, maximum }: Shape): boolean =>
  type === 'integer' && minimum === 0 && maximum === 255

/** Describes a version of a draft in lines, so that two versions can stand side by side. */
import type { TFunction } from 'i18next'
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { readBlocks, type Block } from './blocks.ts'
import { linesOf } from './ways.ts'

export interface VersionLine {
  text: string
  /** Two versions have a line in common where this is equal: the words of a block and its style. */
  identity: string
}

/**
 * `names`: the fields that a user types. A version as the service answers it has more: its id, its
 * times.
 */
export function versionLines(
  typed: TypedDraft,
  names: readonly string[],
  t: TFunction<'drafts'>,
): VersionLine[] {
  const { kind, text, content, html } = typed
  const fields = new Map(Object.entries(linesOf(typed)))
  const above = names.flatMap((name) => {
    const value = fields.get(name)
    if (typeof value === 'boolean')
      return [`${t(name, { defaultValue: name })}: ${t(value ? 'yes' : 'no')}`]
    return typeof value === 'string' && value !== ''
      ? [`${t(`field_${name}`, { defaultValue: name })}: ${value}`]
      : []
  })
  if (kind === 'content')
    return [
      ...above.map(plainLine),
      ...readBlocks(content).flatMap((block) => linesOfBlock(block, t)),
    ]
  return [...above, ...(kind === 'text' ? text : html).split('\n')]
    .filter((line) => line.trim() !== '')
    .map(plainLine)
}

const plainLine = (text: string): VersionLine => ({ text, identity: text })

function linesOfBlock(block: Block, t: TFunction<'drafts'>): VersionLine[] {
  const { key: _key, type, text, items = [], src, alt, href, html, columns = [], ...style } = block
  const words = [text, ...items, alt || src, href, html].filter(
    (line): line is string => line !== undefined && line !== '',
  )
  const own = words.length > 0 || columns.length > 0 ? words : [t(`block_${type}`)]
  return [
    ...own.map((line) => ({ text: line, identity: JSON.stringify([type, line, src, style]) })),
    ...columns.flat().flatMap((inner) => linesOfBlock(inner, t)),
  ]
}

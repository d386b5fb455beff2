/**
 * Validates the blocks of a campaign and folds their aliases, so that rendering meets only known
 * ones.
 */
import { blockTypes, type BlockType } from '../../contract/campaign-content.ts'
import { limits } from '../../contract/limits.ts'
import { isRecord } from '../../ground/read-json.ts'
import type { Align, Block } from '../merge/campaign-source.ts'
import type { ProblemLocation, Problems } from './content-problems.ts'
import { createFieldReader, type FieldReader } from './read-block-fields.ts'
import { validateHtml } from './validate-texts.ts'

export function validateBlocks(content: readonly unknown[], problems: Problems): Block[] {
  const count = { blocks: 0, characters: 0 }
  const blocks = checkList(content, { path: 'content', indexes: [] }, { problems, count })
  if (count.blocks > limits.blocksMax)
    problems.add({ path: 'content', rule: 'blocks', limit: limits.blocksMax })
  if (count.characters > limits.bodyMax)
    problems.add({ path: 'content', rule: 'characters', limit: limits.bodyMax })
  return blocks
}

interface Judging {
  problems: Problems
  /** The sums of all lists. */
  count: { blocks: number; characters: number }
}

interface ListLocation {
  path: string
  /** The path to the list: nothing, or the block and the column. */
  indexes: number[]
}

const checkList = (
  list: readonly unknown[],
  { path, indexes }: ListLocation,
  checking: Judging,
): Block[] =>
  list.flatMap((value, i) => {
    const all = [...indexes, i]
    const location = {
      path: `${path}.${i}`,
      index: all[0] ?? i,
      ...(all.length > 1 ? { indexes: all } : {}),
    }
    const block = checkBlock(value, location, checking)
    return block === null ? [] : [block]
  })

/** Null when it is no block at all; callers ignore the result when problems were reported. */
function checkBlock(
  value: unknown,
  location: ProblemLocation & { index: number },
  checking: Judging,
): Block | null {
  checking.count.blocks++
  if (!isRecord(value)) {
    checking.problems.add({ ...location, rule: 'type' })
    return null
  }
  const fields = new Map<string, unknown>(Object.entries(value))
  const reader = createFieldReader(fields, location, checking.problems)
  const type = reader.oneOf('type', blockTypes)
  if (type === null) {
    if (!fields.has('type'))
      checking.problems.add({ ...location, path: `${location.path}.type`, rule: 'required' })
    return null
  }
  const align: Align | null = reader.oneOf('align', ['left', 'center', 'right'])
  const block = { align, ...readBlock(type, reader, { location, checking }) }
  checking.count.characters += reader.characters()
  return block
}

/** Without `align`. */
type BlockBody = Block extends infer B ? (B extends Block ? Omit<B, 'align'> : never) : never

function readBlock(
  type: BlockType,
  reader: FieldReader,
  at: { location: ProblemLocation; checking: Judging },
): BlockBody {
  const color = (name = 'color'): string | null => reader.color(name)
  switch (type) {
    case 'heading':
      return {
        type,
        text: reader.formatted(['text', 'label']),
        level: reader.whole('level', { min: 1, max: 6, otherwise: 1 }),
        color: color(),
      }
    case 'paragraph':
      return {
        type,
        text: reader.formatted(['text', 'label'], { mayBeEmpty: true }),
        color: color(),
      }
    case 'image':
      return {
        type,
        ...readImage(reader),
        alt: reader.optionalText('alt'),
        width: reader.optionalWhole('width', { min: 1, max: 2000 }),
      }
    case 'button':
      return {
        type,
        text: reader.text(['text', 'label']),
        href: reader.address(['href', 'url'], 'link'),
        color: color(),
        background: color('background'),
      }
    case 'divider':
      return { type, color: color() }
    case 'list':
      return { type, items: reader.texts('items'), ordered: reader.flag('ordered'), color: color() }
    case 'quote':
      return { type, text: reader.formatted(['text', 'label']), color: color() }
    case 'spacer':
      return { type, height: reader.whole('height', { min: 1, max: 200, otherwise: 24 }) }
    case 'html': {
      const html = reader.raw('html')
      return {
        type,
        html: validateHtml(
          html,
          { ...at.location, path: `${at.location.path}.html` },
          at.checking.problems,
        ),
      }
    }
    case 'columns':
      return { type, columns: readColumns(reader, at) }
  }
}

/** `url` is the picture's where there is no `src`, the link's where there is. */
function readImage(reader: FieldReader): { src: string; href: string | null } {
  if (!reader.has('src'))
    return { src: reader.address(['src', 'url'], 'image'), href: reader.optionalAddress(['href']) }
  return { src: reader.address(['src'], 'image'), href: reader.optionalAddress(['href', 'url']) }
}

/**
 * Two to four lists of blocks, bare or as `{blocks: […]}`. Columns inside columns would have no
 * room on any screen.
 */
function readColumns(
  reader: FieldReader,
  { location, checking }: { location: ProblemLocation; checking: Judging },
): Block[][] {
  const columns = reader.list('columns', { min: 2, max: 4 })
  if (location.indexes !== undefined) {
    checking.problems.add({ ...location, rule: 'nested_columns' })
    return []
  }
  return columns.map((column, i) => {
    const inner = { path: `${location.path}.columns.${i}`, indexes: [location.index ?? 0, i] }
    const list = Array.isArray(column) ? column : readInner(column)
    if (list !== null) return checkList(list, inner, checking)
    checking.problems.add({
      path: inner.path,
      index: inner.indexes[0] ?? 0,
      indexes: inner.indexes,
      rule: 'type',
    })
    return []
  })
}

const readInner = (column: unknown): readonly unknown[] | null =>
  isRecord(column) && Array.isArray(column.blocks) ? column.blocks : null

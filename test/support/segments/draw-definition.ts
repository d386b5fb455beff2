/** Draws definitions of segments: of every condition, nested, and wide or narrow. */
import type { Draw } from '../fault-draw.ts'
import {
  drawTime,
  worldCampaigns,
  worldFields,
  worldForms,
  worldTags,
  worldTexts,
} from './segment-world.ts'

type Json = Record<string, unknown>

const maxLevel = 3

export function drawDefinition(draw: Draw, level = 1): Json {
  if (level > maxLevel || (level > 1 && draw.next() < 0.5)) return drawLeaf(draw)
  const size = draw.pick([0, 1, 2, 2, 3, 4])
  const kind = draw.pick(['all', 'any', 'none', 'any'])
  return { [kind]: Array.from({ length: size }, () => drawDefinition(draw, level + 1)) }
}

const drawDay = (draw: Draw): string => drawTime(draw).toISOString().slice(0, 10)

const drawLast = (draw: Draw): Json =>
  draw.next() < 0.3 ? { never: true } : { within_days: draw.pick([1, 30, 90, 365, 1_000]) }

const drawDates = (draw: Draw): Json =>
  draw.pick([
    (): Json => ({ before: drawDay(draw) }),
    (): Json => ({ after: drawDay(draw) }),
    () => drawLast(draw),
  ])()

const drawEngagement = (draw: Draw): Json =>
  draw.next() < 0.4 ? { campaign: draw.pick(worldCampaigns) } : drawLast(draw)

function drawLeaf(draw: Draw): Json {
  const makers: (() => Json)[] = [
    () => ({ tag: draw.pick([...worldTags, 'nobody']) }),
    () => drawField(draw),
    () => drawField(draw),
    () => ({ status: draw.pick(['subscribed', 'pending', 'unsubscribed', 'complained']) }),
    () => ({ source: draw.pick(['api', 'form', 'import', 'workspace']) }),
    () => ({ source: 'form', form: draw.pick(worldForms) }),
    () => ({ language: draw.pick(['fr', 'en']) }),
    () => ({ created: drawDates(draw) }),
    () => ({ subscribed: drawDates(draw) }),
    () => ({ confirmed: drawDates(draw) }),
    () => ({ consented: drawDates(draw) }),
    () => ({ unsubscribed: drawDates(draw) }),
    () => ({ received: drawEngagement(draw) }),
    () => ({ opened: { ...drawEngagement(draw), by: draw.pick(['person', 'any']) } }),
    () => ({ clicked: drawEngagement(draw) }),
  ]
  return draw.pick(makers)()
}

function drawField(draw: Draw): Json {
  const { id, key, type } = draw.pick(worldFields)
  const value = draw.pick(key === 'city' && draw.next() < 0.2 ? worldTexts.odd : worldTexts[key])
  const empty = { field: id, empty: draw.next() < 0.5 }
  if (draw.next() < 0.2) return empty
  if (draw.next() < 0.5) {
    const operator = draw.pick(['is', 'is_not'])
    const fitting = { number: '12.5', date: '2000-02-29', boolean: 'true' }
    return { field: id, [operator]: type in fitting ? fitting[type as 'number'] : value }
  }
  if (type === 'text')
    return { field: id, contains: draw.pick(['a', '%', '_', 'É', 'ς', 'A', value]) }
  if (type === 'number')
    return { field: id, [draw.pick(['above', 'below'])]: draw.pick(['7', '-1']) }
  if (type === 'date' && draw.next() < 0.5)
    return { field: id, within_days: draw.pick([1, 2, 90, 3_650]) }
  if (type === 'date') return { field: id, [draw.pick(['before', 'after'])]: '2000-02-29' }
  return empty
}

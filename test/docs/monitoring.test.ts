/**
 * The dashboard and the alert rules against a real scrape of the program: every metric and label
 * that they name exists, and Prometheus' own tool accepts every expression, where it is installed
 * (Debian: prometheus).
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'

const yaml: { parse(text: string): unknown } = createRequire(import.meta.url)('yaml')

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string; do: string }
}
const alertsText = readFileSync('docs/prometheus-alerts.yaml', 'utf8')
const rules = at(yaml.parse(alertsText), 'groups', '0', 'rules') as Rule[]

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { h: number; w: number; x: number; y: number }
  datasource?: { type: string; uid: string }
  targets?: { refId: string; expr: string }[]
}
interface Dashboard {
  title: string
  uid: string
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; type: string; query: unknown }[] }
}
const dashboard = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as Dashboard
const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
)

/** As Grafana fills them in. */
const filled = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')

test('every metric and label of the dashboard and of the alerts is in a scrape of the service', async (t) => {
  const { url } = await freshDatabase(t)
  const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') }
  const service = await startProgram(t, { env })
  await service.saying('"msg":"ready"')
  const key = /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? ''
  const base = `http://127.0.0.1:${service.port}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    from: 'hello@demo.test',
    to: 'you@example.com',
    subject: 'Hello',
    text: 'Hello',
  })
  assert.equal(
    (await fetch(`${base}/api/v1/emails`, { method: 'POST', headers, body })).status,
    202,
  )
  const scrape = async (): Promise<string> => (await fetch(`${base}/metrics`)).text()
  const text = await until(scrape, (observed) =>
    /facteur_destination_hand_offs_total\{[^}]*destination="example\.com"[^}]*\} 1/.test(observed),
  )
  assert.match(text, /^facteur_claims_total\{lane="transactional"\} 1$/m)
  assert.match(text, /^facteur_table_rows\{table="recipient",state="dead"\} \d+$/m)
  const known = samplesOf(text)
  const missing = [...rules.map(({ alert: title, expr }) => ({ title, expr })), ...shown].flatMap(
    ({ title, expr }) =>
      [...expr.matchAll(/\b((?:facteur|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
        ([, name = '', selector = '']) => {
          const labels = known.get(name)
          if (!labels) return [`${title}: ${name}`]
          // Prometheus adds these two; a counter without a sample has no labels yet.
          const requested = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(
            (match) => match[1] ?? '',
          )
          return requested
            .filter(
              (label) =>
                !['job', 'instance'].includes(label) && labels.size > 0 && !labels.has(label),
            )
            .map((label) => `${title}: ${name}{${label}}`)
        },
      ),
  )
  assert.deepEqual(missing, [])
  const page = readFileSync('docs/monitoring.md', 'utf8')
  const ours = [...text.matchAll(/^# TYPE (facteur_\w+) /gm)].map(([, name]) => name ?? '')
  assert.deepEqual(
    ours.filter((name) => !page.includes(`\`${name}\``)),
    [],
    'every metric is on the page',
  )
})

/**
 * The labels of each metric, by the names of its samples; those without a sample are known by their
 * type.
 */
function samplesOf(text: string): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  const labelsOf = (name: string): Set<string> =>
    known.get(name) ?? known.set(name, new Set()).get(name) ?? new Set()
  for (const line of text.split('\n')) {
    const typed = /^# TYPE (\w+) (\w+)$/.exec(line)
    if (typed?.[2] === 'histogram')
      for (const end of ['bucket', 'count', 'sum']) labelsOf(`${typed[1]}_${end}`)
    else if (typed) labelsOf(typed[1] ?? '')
    const sample = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line)
    for (const [, label = ''] of (sample?.[2] ?? '').matchAll(/(\w+)="/g))
      labelsOf(sample?.[1] ?? '').add(label)
  }
  return known
}

test('the dashboard has what Grafana asks for: an identifier, panels that do not overlap, a data source to choose', () => {
  const { panels, templating } = dashboard
  assert.ok(
    dashboard.title !== '' && /^[\w-]{1,40}$/.test(dashboard.uid) && dashboard.schemaVersion >= 36,
  )
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Set<string>()
  for (const {
    title,
    type,
    gridPos: { x, y, w, h },
    targets,
    datasource,
  } of panels) {
    assert.ok(['row', 'timeseries', 'stat'].includes(type) && x + w <= 24 && h > 0, title)
    for (let across = x; across < x + w; across++)
      for (let down = y; down < y + h; down++) {
        assert.ok(!taken.has(`${across} ${down}`), `${title} overlaps another panel`)
        taken.add(`${across} ${down}`)
      }
    if (type === 'row') continue
    assert.equal(datasource?.uid, '${datasource}', title)
    assert.equal(new Set(targets?.map(({ refId }) => refId)).size, targets?.length)
  }
  const variables = new Set(templating.list.map(({ name }) => name))
  const used = JSON.stringify(panels).matchAll(/\$\{?([a-z_]\w*)/g)
  for (const [, name = ''] of used) assert.ok(name.startsWith('__') || variables.has(name), name)
})

test('each alert has its reason, a summary and what to do', () => {
  const blocks = alertsText.split(/^ +- alert: /m).slice(1)
  assert.equal(blocks.length, rules.length)
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const [index, block] of blocks.entries()) {
    assert.match(block, /^\w+\n +# \S[^]*?\n +expr:/, `${rules[index]?.alert} has no reason`)
    assert.ok(rules[index]?.annotations.summary && rules[index]?.annotations.do)
  }
})

const promtool = spawnSync('promtool', ['--version']).error === undefined

test(
  'promtool accepts the alerts, and every expression of the dashboard',
  { skip: !promtool && 'promtool is not installed' },
  () => {
    const file = join(makeTemporaryFolder('promtool'), 'dashboard.yaml')
    const recorded = shown.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: filled(expr),
    }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    for (const each of ['docs/prometheus-alerts.yaml', file]) {
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', each], {
        encoding: 'utf8',
      })
      assert.equal(status, 0, stdout + stderr)
    }
  },
)

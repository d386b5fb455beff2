/**
 * Types of custom fields: an owner changes one after a preview, values stay as they came, and what
 * does not fit is refused by every way in.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const here = '/workspaces/acme/api/v1'
const owner = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'owner' } })
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })

const add = (email: string, fields: Record<string, string>, key = acme.key): Promise<Answer> =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key,
    body: { email, double_opt_in: false, fields },
  })
const typeOf = (key: string) => `${here}/audience/fields/${key}/type`
const change = (key: string, body: object) => owner.ask(`PATCH ${typeOf(key)}`, { body })
const preview = (key: string, body: object) => owner.ask(`POST ${typeOf(key)}/preview`, { body })
const fieldsOf = async (email: string): Promise<unknown> =>
  at((await editor.ask(`GET ${here}/subscribers/${email}`)).body, 'fields')
const messageOf = (answer: Answer): unknown => at(answer.body, 'message')

test('an owner changes the type of a field after a preview of what does not fit, and back without loss', async () => {
  const texts = ['1990-02-28', '29/11/1990', '1990-02-30', 'soon', ' 1990-01-01']
  for (const [n, birthday] of texts.entries())
    assertAnswered(await add(`b${n}@example.com`, { birthday }), 201, { fields: { birthday } })
  await add('other@example.com', { birthday: 'never' }, other.key)
  const listed = await editor.ask(`GET ${here}/audience/fields`)
  assertAnswered(listed, 200, { data: [{ key: 'birthday', type: 'text', choices: [] }] })

  assertAnswered(await preview('birthday', { type: 'date' }), 200, {
    ...{ key: 'birthday', type: 'date', values: 5, misfits: 4 },
    sample: [
      { email: 'b4@example.com', value: ' 1990-01-01' },
      { email: 'b3@example.com', value: 'soon' },
      { email: 'b2@example.com', value: '1990-02-30' },
      { email: 'b1@example.com', value: '29/11/1990' },
    ],
  })
  const before = await db.rows(sql`select id, fields, updated_at from subscriber order by id`)
  assertAnswered(await change('birthday', { type: 'date' }), 200, { type: 'date' })
  for (const [n, birthday] of texts.entries())
    assert.deepEqual(await fieldsOf(`b${n}@example.com`), { birthday }, 'shown as it is')
  assertAnswered(await change('birthday', { type: 'text' }), 200, { type: 'text' })
  assert.deepEqual(
    await db.rows(sql`select id, fields, updated_at from subscriber order by id`),
    before,
  )
  const acts = await db.rows<{ who: string; details: object }>(sql`
    select who, details from audit_log where workspace_id = ${acme.id} and act = 'field.type_changed' order by id`)
  assert.deepEqual(acts, [
    { who: 'ada@example.com', details: { type: 'date' } },
    { who: 'ada@example.com', details: { type: 'text' } },
  ])
})

test('422 names the field and its type for a value that does not fit, by key, by hand and by edit', async () => {
  const types = [
    { key: 'born', type: 'date', wrong: '29/11/1990', right: '1990-11-29' },
    { key: 'score', type: 'number', wrong: '1,5', right: '-1.50' },
    { key: 'member', type: 'boolean', wrong: 'yes', right: 'true' },
    { key: 'size', type: 'choice', wrong: 'l', right: 'L', choices: ['S', 'M', 'L'] },
  ]
  for (const { key, type, wrong, right, choices } of types) {
    const body = { key, type, ...(choices && { choices }) }
    assertAnswered(await editor.ask(`POST ${here}/audience/fields`, { body }), 201, { key, type })
    const details = { path: `fields.${key}`, rule: `field_${type}`, expected: type }
    const refused = await add(`${key}@example.com`, { [key]: wrong })
    assertRefused(refused, 'validation_error', details)
    assert.match(String(messageOf(refused)), new RegExp(`fields\\.${key}.* est une? `))
    const body2 = { email: `${key}@example.com`, consent: null, fields: { [key]: wrong } }
    const byHand = await editor.ask(`POST ${here}/subscribers`, { body: body2 })
    assertRefused(byHand, 'validation_error', details)
    assert.deepEqual(await fieldsOf(`${key}@example.com`), undefined, 'nothing was stored')

    const added = await add(`${key}@example.com`, { [key]: right })
    assertAnswered(added, 201, { fields: { [key]: right } })
    const edit = (value: string) =>
      editor.ask(`PATCH ${here}/audience/${textAt(added, 'id')}`, {
        body: { fields: { [key]: value } },
      })
    assertRefused(await edit(wrong), 'validation_error', details)
    assert.deepEqual(await fieldsOf(`${key}@example.com`), { [key]: right })
    assertAnswered(await edit(''), 200, { fields: {} })
    // Another workspace has fields of its own.
    assertAnswered(await add(`${key}@example.com`, { [key]: wrong }, other.key), 201)
  }
})

test('an SDK of Resend and an agent are refused alike, with the sentence of the field', async () => {
  const contact = { email: 'sdk@example.com', properties: { born: 'soon' } }
  const byResend = await ask(api.baseUrl, 'POST /api/v1/contacts', { key: acme.key, body: contact })
  assertRefused(byResend, 'validation_error', { path: 'fields.born', expected: 'date' })
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: {
      name: 'add_subscriber',
      arguments: { email: 'agent@example.com', double_opt_in: false, fields: { born: 'soon' } },
    },
  }
  const response = await fetch(`${api.baseUrl}/api/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${acme.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
  })
  assert.match(await response.text(), /field_date/)
})

test('a value that came before the type does not hold up a change of anything else', async () => {
  const id = textAt(await add('old@example.com', { since: 'long ago' }), 'id')
  assertAnswered(await change('since', { type: 'date' }), 200)
  const edited = await editor.ask(`PATCH ${here}/audience/${id}`, {
    body: { firstName: 'Old', fields: { born: '1950-01-01' } },
  })
  assertAnswered(edited, 200, { fields: { since: 'long ago', born: '1950-01-01' } })
})

test('choices are one or more, each once, at most 200, and of a choice alone', async () => {
  const rules: [object, string, string][] = [
    [{ type: 'choice' }, 'choices', 'minItems'],
    [{ type: 'choice', choices: ['a', 'a'] }, 'choices.1', 'twice'],
    [{ type: 'choice', choices: [' '] }, 'choices.0', 'minLength'],
    [{ type: 'choice', choices: ['x'.repeat(101)] }, 'choices.0', 'maxLength'],
    [{ type: 'choice', choices: ['a\nb'] }, 'choices.0', 'control_character'],
    [{ type: 'date', choices: ['a'] }, 'choices', 'field_has_choices'],
    [{ type: 'choice', choices: Array.from({ length: 201 }, String) }, 'choices', 'maxItems'],
    [{ type: 'money' }, 'type', 'enum'],
  ]
  for (const [body, path, rule] of rules) {
    assertRefused(await change('size', body), 'validation_error', { path, rule })
    assertRefused(await preview('size', body), 'validation_error', { path, rule })
  }
  const all = { type: 'choice', choices: Array.from({ length: 200 }, (_, n) => `choice ${n}`) }
  assertAnswered(await change('size', all), 200, { choices: all.choices })
  const refused = await add('many@example.com', { size: 'x' })
  assertRefused(refused, 'validation_error', { allowed: all.choices.slice(0, 10) })
})

test('an import answers what each column looks like; a target with a type makes a new field of it', async () => {
  const raw = 'email,Joined,Paid\na@x.example,2020-01-31,1\nb@x.example,soon,2\nc@x.example,,3\n'
  const stored = await editor.ask(`POST ${here}/imports?name=x.csv`, { raw, type: 'text/csv' })
  assertAnswered(stored, 201, { guessed_types: ['text', 'text', 'number'] })
  const path = `${here}/imports/${textAt(stored, 'id')}`
  const plan = { tags: [], consent: 'At the fair' }
  const twice = ['email', 'fields.joined', 'fields.joined:date']
  assertRefused(
    await editor.ask(`POST ${path}/start`, { body: { ...plan, targets: twice } }),
    'validation_error',
    { path: 'targets.2', rule: 'target_twice' },
  )
  assertRefused(
    await editor.ask(`POST ${path}/start`, {
      body: { ...plan, targets: ['email', 'fields.joined:money', null] },
    }),
    'validation_error',
    { path: 'targets.1', rule: 'target' },
  )
  const targets = ['email', 'fields.joined:date', 'fields.paid']
  const started = await editor.ask(`POST ${path}/start`, { body: { ...plan, targets } })
  assertAnswered(started, 202, { targets })
  const ended = await until(
    () => editor.ask(`GET ${path}`),
    ({ body }) => at(body, 'state') === 'imported',
  )
  assertAnswered(ended, 200, {
    counts: { new: 2, refused: 1, reasons: { 'fields.joined.date': 1 } },
    explanations: {
      'fields.joined.date': { en: 'fields.joined is a date: write it as 2026-11-29' },
    },
  })
  const types = await db.rows<object>(sql`
    select key, type from subscriber_field where workspace_id = ${acme.id} and key in ('joined', 'paid') order by key`)
  assert.deepEqual(types, [
    { key: 'joined', type: 'date' },
    { key: 'paid', type: 'text' },
  ])
})

test('only an owner previews and changes a type; a field of another workspace is not there', async () => {
  const body = { type: 'number' }
  for (const line of [`PATCH ${typeOf('born')}`, `POST ${typeOf('born')}/preview`])
    assertRefused(await editor.ask(line, { body }), 'insufficient_role')
  await add('own@example.com', { theirs: 'x' }, other.key)
  assertRefused(await change('theirs', body), 'not_found')
  assertRefused(await preview('theirs', body), 'not_found')
  const [type] = await db.column<string>(
    sql`select type from subscriber_field where workspace_id = ${other.id} and key = 'theirs'`,
  )
  assert.equal(type, 'text')
})

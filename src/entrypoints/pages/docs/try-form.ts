/**
 * The form that calls an operation with the reader's own key. The page's script shows and sends it.
 */
import type { Language } from '../../../contract/errors.ts'
import { plainSchema, type JsonSchema } from '../../../contract/json-schema.ts'
import { headerName } from '../../../contract/openapi.ts'
import { operations, type OperationId } from '../../../contract/operations.ts'
import type { Operation } from '../../../contract/operation.ts'
import { exampleCall } from '../../../contract/reference/example-call.ts'
import type { ExampleWorld } from '../../../contract/reference/example-world.ts'
import { html, type Html } from '../../../ground/html.ts'
import { texts } from '../../../ground/texts/texts.ts'

export function renderTryForm(id: OperationId, world: ExampleWorld, language: Language): Html {
  const { method, path, params, query, headers, tool }: Operation = operations[id]
  const { body } = exampleCall(id, world)
  const t = texts[language].docsPage
  // Reads are sent at once, and so are changes that a further call can undo.
  const sure = method === 'DELETE' || tool?.destructive === true || tool?.openWorld === true
  return html`<form
    class="try"
    data-method="${method}"
    data-path="${path}"
    data-sure="${sure ? t.sure : ''}"
    data-unanswered="${t.unanswered}"
    hidden
  >
    <h4>${t.tryIt}</h4>
    ${showFields(t.path, 'path', plainSchema(params), (name) => name)}
    ${showFields(t.query, 'query', plainSchema(query), (name) => name)}
    ${showFields(t.headers, 'header', plainSchema(headers), headerName)}
    ${
      body !== undefined &&
      html`<label
        >${t.body}<textarea name="body" rows="${JSON.stringify(body, null, 2).split('\n').length + 1}" spellcheck="false">
${JSON.stringify(body, null, 2)}</textarea>
      </label>`
    }
    <button>${t.send}</button>
    <output></output>
  </form>`
}

function showFields(
  title: string,
  part: string,
  schema: JsonSchema,
  nameOf: (name: string) => string,
): Html | null {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties)
  if (fields.length === 0) return null
  return html`<fieldset>
    <legend>${title}</legend>
    ${fields.map(([name, field]) => showField({ name: `${part}:${nameOf(name)}`, label: nameOf(name), field, required: required.includes(name) }))}
  </fieldset>`
}

interface Field {
  name: string
  label: string
  field: JsonSchema
  required: boolean
}

function showField({ name, label, field, required }: Field): Html {
  const control = field.enum
    ? html`<select name="${name}">
        <option></option>
        ${field.enum.map((word) => html`<option>${word}</option>`)}
      </select>`
    : required
      ? html`<input name="${name}" required autocomplete="off" spellcheck="false" />`
      : html`<input
          name="${name}"
          autocomplete="off"
          spellcheck="false"
          placeholder="${field.default === undefined ? '' : String(field.default)}"
        />`
  return html`<label><code>${label}</code>${control}</label>`
}

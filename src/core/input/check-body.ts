/** Checks a body that no operation describes against a schema of its own. */
import { Compile } from 'typebox/schema'
import type { Operation } from '../../contract/operation.ts'
import type { Static, TSchema } from '../../contract/schema.ts'
import { schemaError } from './check-schema.ts'
import { checkValues } from './check-values.ts'
import { outlineOf } from './outline.ts'
import { shapeError } from './shape-error.ts'

/**
 * Compiles the schema once. The check answers the body, without nulls that count as absent, or
 * throws `validation_error`; `foreign` are refused by name.
 */
export function createBodyCheck<const S extends TSchema>(
  schema: S,
  foreign: Operation['foreign'] = {},
): (body: unknown) => Static<S> {
  const outline = outlineOf(schema, { foreign })
  const validator = Compile(schema)
  return (body) => {
    if (body === undefined) throw shapeError([{ path: '', rule: 'required_body' }])
    checkValues(body, outline)
    if (!validator.Check(body)) throw schemaError(validator, body)
    return body
  }
}

/**
 * Where names of tables are looked for on connections of a cell, and how a statement there names
 * what cell 1 has.
 */
import { Fragment } from './fragment.ts'
import type { Statement } from './sql.ts'

/** Of cell 1, which has the global tables. */
export const homeSchema = 'public'

/**
 * Of a cluster: copies of global tables that each node has whole. Elsewhere there is no such
 * schema, and PostgreSQL skips its name.
 */
export const sharedSchema = 'facteur_shared'

/** Tables of the cell first, then copies on the nodes, then global tables. */
export const searchPathOf = (schema: string): string => `${schema},${sharedSchema},${homeSchema}`

const homeMark = '/*home*/'

/**
 * Stands before the name of a global table that is changed: `update ${home}workspace set …`. A
 * connection of another cell finds a copy by the bare name, which follows the table itself
 * (shared-tables.ts). Cell 1 alone may be in any schema: there the mark is a comment.
 */
export const home = new Fragment([homeMark], [])

/** The statement as a connection of another cell sends it. */
export const ofOtherCell = <S extends Pick<Statement, 'text'>>(statement: S): S =>
  statement.text.includes(homeMark)
    ? { ...statement, text: statement.text.replaceAll(homeMark, `${homeSchema}.`) }
    : statement

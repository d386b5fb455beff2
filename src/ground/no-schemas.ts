/**
 * Turns off the web server's own schema validation: the dispatcher validates, and 90 files less are
 * loaded at each start.
 */
const refuse = () => (): never => {
  throw new Error('The dispatcher validates shapes: a route of the web server has no schema')
}

/** For fastify's `schemaController`. */
export const noSchemas = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } }

/** The web server's own checking of shapes is left out: the dispatcher judges them, and 90 files need not be loaded at each start. */
const refuse = () => (): never => {
  throw new Error('Shapes are judged by the dispatcher: a route of the web server has no schema')
}

/** For fastify's `schemaController`. */
export const noSchemas = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } }

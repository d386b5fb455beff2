/** What the build makes by itself (web/build/), and files that are no code. */
declare module 'virtual:routes' {
  /** As api/routes.ts says. */
  export const routes: unknown
  /** As pages/users/audit-actions.ts says. */
  export const acts: unknown
}
declare module 'virtual:texts/en' {
  /** By area. */
  const texts: Record<string, () => Promise<{ default: Record<string, string> }>>
  export default texts
}
declare module 'virtual:texts/fr' {
  /** By area. */
  const texts: Record<string, () => Promise<{ default: Record<string, string> }>>
  export default texts
}
declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}
declare module '*.css'
declare module '*.svg' {
  const address: string
  export default address
}

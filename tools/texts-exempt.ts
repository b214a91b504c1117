// Texts that every language writes alike, and the areas whose texts are not translated yet.

/** Names of products, protocols and values. */
export const EXEMPT: ReadonlySet<string> = new Set([
  'lately {}',
  'verb {}',
  ' (request {})',
  '(request {})',
  'petstore',
  'prices',
  'Authorization: Bearer <MCP_KEY>',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  '0 18 * * mon-fri',
  'null',
  '{} min',
  'Gantry',
  '(prefers-contrast: more)',
])

/** Shown in English in every language. Must shrink to nothing. */
export const UNTRANSLATED: readonly string[] = [
  'renderer/admin/composites/',
  'renderer/admin/traces/',
  'renderer/admin/users/',
  'renderer/language/',
  'renderer/studio/',
]

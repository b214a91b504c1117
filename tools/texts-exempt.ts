// Texts that every language writes alike, and the areas whose texts are not translated yet.

/** Names of products, protocols and values. */
export const EXEMPT: ReadonlySet<string> = new Set([])

/** Shown in English in every language. Must shrink to nothing. */
export const UNTRANSLATED: readonly string[] = [
  'renderer/admin/',
  'renderer/api/',
  'renderer/language/',
  'renderer/shell/',
  'renderer/studio/',
  'renderer/ui/',
  'renderer/pages.ts',
  'renderer/router.tsx',
  'renderer/start.tsx',
  'renderer/url-params.ts',
]

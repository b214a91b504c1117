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
  // Classes and drawings.
  'outline-bad-solid opacity-80',
  'outline-2 outline-dashed {}',
  'path(evenodd, "M6 0a6 6 0 1 0 .01 0zM6 3a3 3 0 1 0 .01 0z")',
  'var(--g-bad-solid)',
  'clamp(12px, calc(11px / var(--zoom, 1)), 34px)',
  '<circle cx="{}" cy="{}" r="5" fill="{}"/>',
  'linear-gradient(to right, {})',
  // What is typed into the palette.
  'disable',
  'enable',
  'reset',
  'check',
  'try',
  'diagnose',
  'connect',
  // Names and values of PCG.
  'unreal',
  '$Density > 0.5',
  'string',
  'Input',
  'TreeDensity',
  'Gantry',
  '(prefers-contrast: more)',
])

/** Files whose texts are programs. */
export const PROGRAMS: readonly string[] = ['renderer/studio/model/export.ts']

/** Shown in English in every language. Must shrink to nothing. */
export const UNTRANSLATED: readonly string[] = ['renderer/language/']
